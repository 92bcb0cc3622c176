import { createHash, createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll } from "vitest";
import type { S3Config } from "../../src/server/base/s3-config.ts";

const ACCESS_KEY = "AKIDRECADO";
export const S3_SECRET = "secret-of-the-stand-in/+=";
const REGION = "sa-east-1";
const BUCKET = "recado";

type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer };
/** What the server does instead: an error, no answer, or half of one. */
export type Trouble = { status: number; code: string } | "hang" | "cut";
export type S3Request = { method: string; key: string; query: URLSearchParams; bytes: number };

const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const xml = (name: string, ...inner: string[]) => `<${name}>${inner.join("")}</${name}>`;
const failed = (status: number, code: string): Answer => ({
  status,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0"?>${xml("Error", xml("Code", code), xml("Message", `said of ${ACCESS_KEY}`))}`,
});
const page = (name: string, ...inner: string[]): Answer => ({
  status: 200,
  headers: { "content-type": "application/xml" },
  body: `<?xml version="1.0"?>${xml(name, ...inner)}`,
});

/** Speaks S3 over a socket: objects, ranges, listings by pages, multipart uploads; it proves each signature. */
export class S3StandIn {
  readonly objects = new Map<string, { bytes: Buffer; at: Date }>();
  readonly uploads = new Map<string, { key: string; at: Date; parts: Map<number, Buffer> }>();
  readonly requests: S3Request[] = [];
  trouble: (request: S3Request) => Trouble | null = () => null;
  now: () => Date = () => new Date();
  #server = http.createServer();
  #port = 0;

  async start(): Promise<void> {
    this.#server = http.createServer((request, response) => void this.#serve(request, response));
    await once(this.#server.listen(this.#port, "127.0.0.1"), "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server.close(), "close");
    this.#server.closeAllConnections();
    await closed;
  }

  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  }

  config(changes: Partial<S3Config> = {}): S3Config {
    return {
      bucket: BUCKET,
      folder: "",
      endpoint: `http://127.0.0.1:${this.#port}`,
      region: REGION,
      accessKey: ACCESS_KEY,
      secretKey: S3_SECRET,
      pathStyle: true,
      ...changes,
    };
  }

  env(folder = ""): Record<string, string> {
    return {
      RECADO_S3_BUCKET: `${BUCKET}${folder && `/${folder}`}`,
      RECADO_S3_ENDPOINT: `http://127.0.0.1:${this.#port}`,
      RECADO_S3_REGION: REGION,
      RECADO_S3_ACCESS_KEY: ACCESS_KEY,
      RECADO_S3_SECRET_KEY: S3_SECRET,
    };
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://s3");
    const body = await buffer(request).catch(() => null);
    if (body === null) return;
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split("/");
    const asked = {
      method: request.method ?? "",
      key: rest.join("/"),
      query: url.searchParams,
      bytes: body.length,
    };
    this.requests.push(asked);
    const trouble = this.trouble(asked);
    if (trouble === "hang") return;
    const refused = refusalOf(request, body) ?? (bucket === BUCKET ? null : failed(404, "NoSuchBucket"));
    const answer =
      trouble !== null && trouble !== "cut"
        ? failed(trouble.status, trouble.code)
        : (refused ?? this.#answer(asked, request.headers.range, body));
    response.writeHead(answer.status, {
      ...answer.headers,
      "content-length": Buffer.byteLength(answer.body ?? ""),
    });
    if (trouble !== "cut") response.end(request.method === "HEAD" ? "" : answer.body);
    else
      response.write(
        Buffer.from(answer.body ?? "").subarray(0, Buffer.byteLength(answer.body ?? "") / 2),
        () => response.destroy(),
      );
  }

  #answer({ method, key, query }: S3Request, range: string | undefined, body: Buffer): Answer {
    const id = query.get("uploadId");
    if (key === "") return query.has("uploads") ? this.#listUploads(query) : this.#list(query);
    if (query.has("uploads")) return this.#begin(key);
    if (id !== null) return this.#part(method, id, query.get("partNumber"), body);
    if (method === "PUT") {
      this.objects.set(key, { bytes: body, at: this.now() });
      return { status: 200, headers: { etag: `"${sha256(body)}"` } };
    }
    if (method === "DELETE") {
      this.objects.delete(key);
      return { status: 204 };
    }
    return this.#get(key, range);
  }

  #get(key: string, range: string | undefined): Answer {
    const bytes = this.objects.get(key)?.bytes;
    if (!bytes) return failed(404, "NoSuchKey");
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (from === undefined) return { status: 200, body: bytes };
    if (Number(from) >= bytes.length) return failed(416, "InvalidRange");
    return { status: 206, body: bytes.subarray(Number(from), Number(to) + 1) };
  }

  #list(query: URLSearchParams): Answer {
    const after = query.get("continuation-token") ?? "";
    const most = Number(query.get("max-keys") ?? 1_000);
    const found = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .sort();
    const listed = found.slice(0, most);
    const contents = listed.map((key) =>
      xml("Contents", xml("Key", key), xml("LastModified", this.objects.get(key)?.at.toISOString() ?? "")),
    );
    const more = found.length > most ? xml("NextContinuationToken", listed.at(-1) ?? "") : "";
    return page("ListBucketResult", xml("IsTruncated", String(more !== "")), more, ...contents);
  }

  #listUploads(query: URLSearchParams): Answer {
    const uploads = [...this.uploads]
      .filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""))
      .map(([id, { key, at }]) =>
        xml("Upload", xml("Key", key), xml("UploadId", id), xml("Initiated", at.toISOString())),
      );
    return page("ListMultipartUploadsResult", xml("IsTruncated", "false"), ...uploads);
  }

  #begin(key: string): Answer {
    const id = randomUUID();
    this.uploads.set(id, { key, at: this.now(), parts: new Map() });
    return page("InitiateMultipartUploadResult", xml("UploadId", id));
  }

  #part(method: string, id: string, number: string | null, body: Buffer): Answer {
    const upload = this.uploads.get(id);
    if (!upload) return failed(404, "NoSuchUpload");
    if (method === "PUT") {
      upload.parts.set(Number(number), body);
      return { status: 200, headers: { etag: `"${sha256(body)}"` } };
    }
    this.uploads.delete(id);
    if (method === "DELETE") return { status: 204 };
    const numbers = [...String(body).matchAll(/<PartNumber>(\d+)</g)].map(([, one]) => Number(one));
    const parts = numbers.flatMap((one) => upload.parts.get(one) ?? []);
    if (parts.length !== upload.parts.size) return failed(400, "InvalidPart");
    this.objects.set(upload.key, { bytes: Buffer.concat(parts), at: this.now() });
    return page("CompleteMultipartUploadResult", xml("Key", upload.key));
  }
}

/** Signature Version 4 (docs.aws.amazon.com, «Authenticating Requests: Using the Authorization Header»). */
function refusalOf({ method, url = "", headers }: http.IncomingMessage, body: Buffer): Answer | null {
  const [, accessKey, day = "", region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    ) ?? [];
  if (accessKey !== ACCESS_KEY) return failed(403, "InvalidAccessKeyId");
  if (region !== REGION) return failed(400, "AuthorizationHeaderMalformed");
  const { pathname, searchParams } = new URL(url, "http://s3");
  const query = [...searchParams]
    .map((pair) => pair.map(encodeURIComponent).join("="))
    .sort()
    .join("&");
  const signed = names.split(";").map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const payload = String(headers["x-amz-content-sha256"]);
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(body))
    return failed(400, "XAmzContentSHA256Mismatch");
  const request = [method, pathname, query, signed.join(""), names, payload].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(request)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${S3_SECRET}`);
  return hmac(key, text).toString("hex") === signature ? null : failed(403, "SignatureDoesNotMatch");
}

export async function startS3(): Promise<S3StandIn> {
  const standIn = new S3StandIn();
  await standIn.start();
  afterAll(() => standIn.stop());
  return standIn;
}

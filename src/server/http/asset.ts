import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Repeatedly sent bytes: etag and compression are computed once. */
export type Asset = {
  bytes: Buffer<ArrayBuffer>;
  type: string;
  etag: string;
  cache: string;
  zipped: Promise<Buffer<ArrayBuffer>> | null;
};

const compress = promisify(gzip);

const COMPRESSIBLE = /^(text\/|image\/svg|application\/(json|manifest))/;

export function makeAsset(bytes: Buffer<ArrayBuffer>, type: string, cache = "no-cache"): Asset {
  const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  return { bytes, type, etag, cache, zipped: null };
}

export async function sendAsset(asset: Asset, request: Request): Promise<Response> {
  const headers = new Headers({ "content-type": asset.type, etag: asset.etag, "cache-control": asset.cache });
  const compressible = COMPRESSIBLE.test(asset.type);
  if (compressible) headers.append("vary", "accept-encoding");
  if (request.headers.get("if-none-match")?.includes(asset.etag))
    return new Response(null, { status: 304, headers });
  if (!compressible) return new Response(asset.bytes, { headers });
  if (!/\bgzip\b/.test(request.headers.get("accept-encoding") ?? ""))
    return new Response(asset.bytes, { headers });
  headers.set("content-encoding", "gzip");
  asset.zipped ??= compress(asset.bytes, { level: 9 }) as Promise<Buffer<ArrayBuffer>>;
  return new Response(await asset.zipped, { headers });
}

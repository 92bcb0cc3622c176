import fs from "node:fs";
import { Readable } from "node:stream";
import type { S3Client } from "@aws-sdk/client-s3";
import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import { callAfter } from "../base/clock.ts";
import type { S3Config } from "../base/s3-config.ts";
import { StartError } from "../base/start-error.ts";
import {
  type ByteRange,
  type ByteStore,
  type Content,
  placeOfKey,
  UUID,
  unavailableDisk,
} from "./byte-store.ts";
import { nameOf, reasonOf, refusalOf } from "./s3-errors.ts";
import { watchedStream } from "./watched-stream.ts";

/** What waits in memory for each file being written. */
const PART_BYTES = 8 * 1024 * 1024;
const RETRY_AFTER_S = 60;
const ATTEMPTS = 2;
const NO_KEY = "NoSuchKey";
const CLAIM = "recado-installation";

export type S3Waits = { connectMs: number; answerMs: number; partMs: number };
const WAITS: S3Waits = { connectMs: 5_000, answerMs: 15_000, partMs: 60_000 };

export type S3Deps = { log: Pick<Logger, "warn">; waits?: S3Waits; pageSize?: number };

type Sdk = typeof import("@aws-sdk/client-s3");

/** In a bucket, under the same names as on the disk. The SDK's errors hold requests: none leaves this file. */
export class S3Store implements ByteStore {
  readonly #config: S3Config;
  readonly #deps: S3Deps & { waits: S3Waits };
  readonly #sdk: Sdk;
  readonly #client: S3Client;

  private constructor(config: S3Config, deps: S3Deps, sdk: Sdk) {
    const { waits = WAITS } = deps;
    this.#config = config;
    this.#deps = { ...deps, waits };
    this.#sdk = sdk;
    this.#client = new sdk.S3Client({
      region: config.region,
      forcePathStyle: config.pathStyle,
      ...(config.endpoint === null ? {} : { endpoint: config.endpoint }),
      credentials: { accessKeyId: config.accessKey, secretAccessKey: config.secretKey },
      maxAttempts: ATTEMPTS,
      // Stores of others than Amazon know neither these checksums nor this header.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      expectContinueHeader: false,
      requestHandler: {
        connectionTimeout: waits.connectMs,
        requestTimeout: waits.partMs,
        throwOnRequestTimeout: true,
        // It would count a reader's pauses: a player stops reading while its buffer is full.
        socketTimeout: 0,
      },
    });
  }

  static async open(config: S3Config, deps: S3Deps): Promise<S3Store> {
    return new S3Store(config, deps, await import("@aws-sdk/client-s3"));
  }

  async put(key: string, content: Content): Promise<void> {
    const { Upload } = await import("@aws-sdk/lib-storage");
    const source = new Source(content);
    const upload = new Upload({
      client: this.#client,
      params: { ...this.#at(key), Body: source.body, ContentType: "application/octet-stream" },
      partSize: PART_BYTES,
      queueSize: 1,
    });
    try {
      await upload.done();
    } catch (error) {
      throw source.error === null ? this.#unavailable(error) : unavailableDisk(source.error);
    } finally {
      source.close();
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    const get = new this.#sdk.GetObjectCommand({ ...this.#at(key), ...part });
    try {
      const { Body } = await this.#client.send(get, this.#soon());
      return watchedStream(Body as Readable, {
        stallMs: this.#deps.waits.answerMs,
        after: callAfter,
        failed: (error) => this.#unavailable(error),
      });
    } catch (error) {
      // A bucket that is gone answers 404 too, and its files are not lost.
      throw nameOf(error) === NO_KEY ? new AppError("attachment_lost") : this.#unavailable(error);
    }
  }

  async remove(key: string): Promise<void> {
    const at = this.#at(key);
    const { AbortMultipartUploadCommand, DeleteObjectCommand } = this.#sdk;
    try {
      await this.#client.send(new DeleteObjectCommand(at), this.#soon());
      for (const { UploadId } of await this.#unfinished(at.Key))
        await this.#client.send(new AbortMultipartUploadCommand({ ...at, UploadId }), this.#soon());
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  async *keys(): AsyncGenerator<{ key: string; at: Date }> {
    const { bucket: Bucket, folder: Prefix } = this.#config;
    const { pageSize = 1_000 } = this.#deps;
    const paging = { client: this.#client, pageSize };
    try {
      for await (const page of this.#sdk.paginateListObjectsV2(paging, { Bucket, Prefix }, this.#soon()))
        for (const { Key, LastModified } of page.Contents ?? []) yield* this.#keyAt(Key, LastModified);
      for (const { Key, Initiated } of await this.#unfinished(Prefix)) yield* this.#keyAt(Key, Initiated);
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  /** Throws a StartError where the store says that it will not serve. Returns why it does not answer, or null. */
  async check(installation: string): Promise<string | null> {
    const { bucket: Bucket, folder: Prefix } = this.#config;
    try {
      const list = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 });
      await this.#client.send(list, this.#soon());
      if ((await this.#claimed(installation)) === installation) return null;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) return reasonOf(error);
      throw new StartError(`O armazenamento S3 (${this.#where()}) não serve: ${refusal}.`);
    }
    throw new StartError(
      `O armazenamento S3 (${this.#where()}) é de outra instalação do Recado, e cada uma apagaria os arquivos da outra. ` +
        "Dê a esta um bucket ou uma pasta só dela, como RECADO_S3_BUCKET=bucket/pasta.",
    );
  }

  /** The first installation to come writes its name. */
  async #claimed(installation: string): Promise<string> {
    const { GetObjectCommand, PutObjectCommand } = this.#sdk;
    const at = { Bucket: this.#config.bucket, Key: `${this.#config.folder}${CLAIM}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(at), this.#soon());
      return (await Body?.transformToString()) ?? "";
    } catch (error) {
      if (nameOf(error) !== NO_KEY) throw error;
      await this.#client.send(new PutObjectCommand({ ...at, Body: installation }), this.#soon());
      return installation;
    }
  }

  /** What a crash cut off: its parts are invisible and cost money. */
  async #unfinished(Prefix: string) {
    const list = new this.#sdk.ListMultipartUploadsCommand({ Bucket: this.#config.bucket, Prefix });
    return (await this.#client.send(list, this.#soon())).Uploads ?? [];
  }

  #at(key: string) {
    const { bucket, folder } = this.#config;
    return { Bucket: bucket, Key: `${folder}${placeOfKey(key)}` };
  }

  *#keyAt(place = "", at = new Date(0)) {
    const key = place.slice(place.lastIndexOf("/") + 1);
    if (UUID.test(key) && this.#at(key).Key === place) yield { key, at };
  }

  #where(): string {
    const { bucket, folder, endpoint, region } = this.#config;
    return `${bucket}/${folder} em ${endpoint ?? region}`;
  }

  #soon() {
    return { requestTimeout: this.#deps.waits.answerMs };
  }

  #unavailable(error: unknown): AppError {
    this.#deps.log.warn({ reason: reasonOf(error) }, "the S3 store does not serve");
    return new AppError("unavailable", { retryAfter: RETRY_AFTER_S });
  }
}

/** Knows whether a write failed at its source. */
class Source {
  readonly body: Readable | Uint8Array;
  error: unknown = null;

  constructor(content: Content) {
    this.body = content instanceof Uint8Array ? content : Readable.from(this.#pieces(content));
  }

  close(): void {
    if (this.body instanceof Readable) this.body.destroy();
  }

  async *#pieces(content: string | AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const pieces: AsyncIterable<Uint8Array> =
      typeof content === "string" ? fs.createReadStream(content) : content;
    try {
      yield* pieces;
    } catch (error) {
      this.error = error;
      throw error;
    }
  }
}

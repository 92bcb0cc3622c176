import { z } from "zod";

export type S3Config = {
  bucket: string;
  /** Ends with `/`, or is empty. */
  folder: string;
  /** Null: Amazon's own of the region. */
  endpoint: string | null;
  region: string;
  accessKey: string;
  secretKey: string;
  /** `https://server/bucket` instead of `https://bucket.server`. */
  pathStyle: boolean;
};

const BUCKET = /^[\w.-]{3,255}(\/[\w.-]+)*$/;

export const S3_SETTINGS = {
  RECADO_S3_BUCKET: z.string().regex(BUCKET, "use o nome do bucket, como recado, ou recado/pasta").optional(),
  RECADO_S3_ENDPOINT: z
    .url({
      abort: true,
      protocol: /^https?$/,
      error: "use um endereço completo, como https://s3.exemplo.com.br",
    })
    .refine((text) => ["/", ""].includes(new URL(text).pathname), "use só o endereço, sem o bucket")
    .transform((text) => new URL(text).origin)
    .optional(),
  RECADO_S3_REGION: z
    .string()
    .regex(/^[\w-]{1,64}$/, "use o nome da região, como sa-east-1")
    .default("us-east-1"),
  RECADO_S3_ACCESS_KEY: z.string().optional(),
  RECADO_S3_SECRET_KEY: z.string().optional(),
  RECADO_S3_ADDRESSING: z.enum(["path", "host"], "use um destes valores: path, host").optional(),
};

const Settings = z.object(S3_SETTINGS);
type Settings = z.output<typeof Settings>;

/** Names and what is wrong with them: half a setting would silently keep files on the disk. */
export function wrongS3(env: Settings): [name: string, message: string][] {
  const keys = ["RECADO_S3_ACCESS_KEY", "RECADO_S3_SECRET_KEY"] as const;
  if (env.RECADO_S3_BUCKET !== undefined)
    return keys
      .filter((name) => env[name] === undefined)
      .map((name) => [name, "falta; RECADO_S3_BUCKET precisa dela"]);
  return [...keys, "RECADO_S3_ENDPOINT" as const, "RECADO_S3_ADDRESSING" as const]
    .filter((name) => env[name] !== undefined)
    .map((name) => [name, "vem junto com RECADO_S3_BUCKET"]);
}

export function s3Of(env: Settings): S3Config | null {
  const { RECADO_S3_BUCKET: place, RECADO_S3_ACCESS_KEY: accessKey, RECADO_S3_SECRET_KEY: secretKey } = env;
  if (place === undefined || accessKey === undefined || secretKey === undefined) return null;
  const [bucket = "", ...folders] = place.split("/");
  const endpoint = env.RECADO_S3_ENDPOINT ?? null;
  return {
    bucket,
    folder: folders.map((name) => `${name}/`).join(""),
    endpoint,
    region: env.RECADO_S3_REGION,
    accessKey,
    secretKey,
    pathStyle: (env.RECADO_S3_ADDRESSING ?? (endpoint === null ? "host" : "path")) === "path",
  };
}

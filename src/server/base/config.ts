import { z } from "zod";
import { ATTACHMENT_MB } from "../../domain/attachment.ts";
import { UNDO_S } from "../../domain/campaign.ts";
import { MEDIA_DAYS } from "../../domain/received-file.ts";
import { wrongPrivateHosts } from "../net/addresses.ts";
import { readOperatorGateways } from "./operator-config.ts";
import { S3_SETTINGS, s3Of, wrongS3 } from "./s3-config.ts";
import { readSender, readSmtpUrl } from "./smtp-url.ts";
import { StartError } from "./start-error.ts";

/** Validated environment. Unset, empty and blank mean the same. */
export type Config = z.output<typeof Environment>;

const port = z.coerce
  .number("use um número de porta")
  .int("use um número inteiro")
  .min(0, "use uma porta de 0 a 65535")
  .max(65_535, "use uma porta de 0 a 65535");

const webAddress = z
  .url({
    abort: true,
    protocol: /^https?$/,
    error: "use um endereço completo, como https://recado.exemplo.com.br",
  })
  .refine(
    (text) => ["/", ""].includes(new URL(text).pathname),
    "use só o endereço, sem caminho depois do domínio",
  )
  .transform((text) => new URL(text).origin);

const providerAddress = z.url({
  protocol: /^https?$/,
  error: "use um endereço completo, como https://api.mistral.ai",
});

/**
 * Parsed as its driver does, which accepts an address without a host; a special character in the password may
 * have split it.
 */
const databaseAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { abort: true, error: "use postgres://usuario:senha@servidor/banco" })
  .refine(
    (text) => URL.canParse(text) || URL.canParse(text.replace("@/", "@host/")),
    "não pode ser lido: use postgres://usuario:senha@servidor/banco, com os sinais da senha em forma de porcentagem, como %2F por /",
  );

const whatsappVersion = z
  .string()
  .regex(/^\d+\.\d+\.\d+$/, "use três números, como 2.3000.1043857760")
  .transform((text) => text.split(".").map(Number) as [number, number, number]);

const operatorGateways = z.string().transform((text, context) => {
  const { gateways, errors } = readOperatorGateways(text);
  for (const message of errors) context.addIssue({ code: "custom", message });
  return gateways;
});

const privateHosts = z.string().superRefine((text, context) => {
  for (const at of wrongPrivateHosts(text))
    context.addIssue({
      code: "custom",
      message: `item ${at}: use finalidade:servidor:porta, como gateway:evolution.interno:8080; as finalidades são gateway, mistral, relay (webhooks das pessoas) e picture (imagens por endereço)`,
    });
});

/** The error does not quote the value: it holds a password. */
const mailServer = z.string().transform((text, context) => {
  const server = readSmtpUrl(text);
  if (!server)
    context.addIssue({ code: "custom", message: "use smtp://usuario:senha@servidor:587 ou smtps://…" });
  return server ?? z.NEVER;
});

const mailSender = z.string().transform((text, context) => {
  const sender = readSender(text);
  if (!sender)
    context.addIssue({ code: "custom", message: "use um e-mail, como Recado <avisos@exemplo.com.br>" });
  return sender ?? z.NEVER;
});

const choice = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `use um destes valores: ${values.join(", ")}`);

/** Accounts that an operator's service serves: those named by `account -- allow`, or all. */
const served = choice(["all", "named"]).optional();

export const DEFAULT_PORT = 3_000;

export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

type Reach = { HOST: string; RECADO_URL?: string | undefined; RECADO_TRUST_PROXY?: number | undefined };

/** True if other machines may reach us: a public address or a proxy implies it, wherever we listen. */
const isReachable = ({ HOST, RECADO_URL, RECADO_TRUST_PROXY = 0 }: Reach) =>
  !LOOPBACK.test(HOST) || RECADO_URL !== undefined || RECADO_TRUST_PROXY > 0;

/** Settings required when processes divide the work. */
const NEEDED_APART = {
  DATABASE_URL:
    "falta; RECADO_PROCESS=web e RECADO_PROCESS=worker precisam de um PostgreSQL externo, o mesmo para todos os processos (o que vem junto serve a um só)",
  RECADO_URL:
    "falta; com RECADO_PROCESS=web ou worker, diga o endereço público, o mesmo para todos os processos: avisos por e-mail e webhooks levam a ele",
};

const UNDO_WORDS = `use os segundos para desfazer, de 0 a ${UNDO_S.most}`;

const MEDIA_WORDS = `use um número de dias, de 1 a ${MEDIA_DAYS.most}`;

const ATTACHMENT_WORDS = `use um número inteiro de MB, de ${ATTACHMENT_MB.least} a ${ATTACHMENT_MB.most}`;

const Environment = z
  .object({
    RECADO_PROCESS: choice(["all", "web", "worker"]).default("all"),
    PORT: port.optional(),
    HOST: z.string().default("127.0.0.1"),
    RECADO_DATA: z.string().optional(),
    RECADO_URL: webAddress.optional(),
    DATABASE_URL: databaseAddress.optional(),
    RECADO_SECRET_KEY: z.string().optional(),
    RECADO_BACKUP_PASSPHRASE: z.string().optional(),
    RECADO_TERMS_FILE: z.string().optional(),
    RECADO_SIGNUP: choice(["open", "first", "invite"]).optional(),
    RECADO_PRIVATE_HOSTS: privateHosts.optional(),
    RECADO_GATEWAYS: operatorGateways.optional(),
    RECADO_WEBHOOK_URL: webAddress.optional(),
    RECADO_MISTRAL_KEY: z.string().optional(),
    RECADO_MISTRAL_URL: providerAddress.optional(),
    RECADO_SMTP_URL: mailServer.optional(),
    RECADO_MAIL_FROM: mailSender.optional(),
    RECADO_MISTRAL_FOR: served,
    RECADO_GATEWAYS_FOR: served,
    RECADO_MAIL_FOR: served,
    RECADO_WA_VERSION: whatsappVersion.optional(),
    RECADO_RESEND: choice(["same-id", "never"]).default("same-id"),
    RECADO_NUMBER_PLAN: choice(["recommended", "none"]).default("recommended"),
    RECADO_UNDO_SECONDS: z.coerce
      .number(UNDO_WORDS)
      .int(UNDO_WORDS)
      .min(0, UNDO_WORDS)
      .max(UNDO_S.most, UNDO_WORDS)
      .default(UNDO_S.default),
    RECADO_MEDIA_DAYS: z.coerce
      .number(MEDIA_WORDS)
      .int(MEDIA_WORDS)
      .min(1, MEDIA_WORDS)
      .max(MEDIA_DAYS.most, MEDIA_WORDS)
      .default(MEDIA_DAYS.default),
    RECADO_ATTACHMENT_MB: z.coerce
      .number(ATTACHMENT_WORDS)
      .int(ATTACHMENT_WORDS)
      .min(ATTACHMENT_MB.least, ATTACHMENT_WORDS)
      .max(ATTACHMENT_MB.most, ATTACHMENT_WORDS)
      .default(ATTACHMENT_MB.most),
    ...S3_SETTINGS,
    RECADO_TIME_SCALE: z.coerce
      .number("use um número de 0.01 a 1")
      .min(0.01, "use um número de 0.01 a 1")
      .max(1, "use um número de 0.01 a 1")
      .default(1),
    RECADO_TRUST_PROXY: z.coerce
      .number("use o número de proxies à frente (0 a 10)")
      .int("use um número inteiro")
      .min(0, "use o número de proxies à frente (0 a 10)")
      .max(10, "use o número de proxies à frente (0 a 10)")
      .optional(),
    RECADO_METRICS_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]{16,}$/, "use ao menos 16 letras, números ou sinais, sem espaço")
      .optional(),
    LOG_LEVEL: choice(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  })
  .refine((env) => (env.RECADO_SMTP_URL === undefined) === (env.RECADO_MAIL_FROM === undefined), {
    path: ["RECADO_SMTP_URL"],
    message: "vem junto com RECADO_MAIL_FROM, o remetente",
  })
  .superRefine((env, context) => {
    for (const [name, message] of wrongS3(env)) context.addIssue({ code: "custom", path: [name], message });
  })
  .superRefine((env, context) => {
    if (env.RECADO_PROCESS === "all") return;
    for (const [name, message] of Object.entries(NEEDED_APART))
      if (env[name as keyof typeof NEEDED_APART] === undefined)
        context.addIssue({ code: "custom", path: [name], message });
  })
  .transform((env) => ({
    /** Serve HTTP, work (send, receive, run jobs), or both. */
    process: env.RECADO_PROCESS,
    /** Null for a worker without PORT, which does not listen. */
    port: env.PORT ?? (env.RECADO_PROCESS === "worker" ? null : DEFAULT_PORT),
    host: env.HOST,
    dataFolder: env.RECADO_DATA,
    publicUrl: env.RECADO_URL ?? null,
    databaseUrl: env.DATABASE_URL ?? null,
    secretKey: env.RECADO_SECRET_KEY,
    /** Encrypts and decrypts backups. */
    backupPassphrase: env.RECADO_BACKUP_PASSPHRASE,
    termsFile: env.RECADO_TERMS_FILE ?? null,
    /** Who may sign up. Default: only the first account where other machines can reach us. */
    signup: env.RECADO_SIGNUP ?? (isReachable(env) ? "first" : "open"),
    /** A message with a lost acknowledgement: resend under its id, or leave it to a person. */
    resend: env.RECADO_RESEND,
    /** What a number begins with when it is linked for the first time. */
    numberPlan: env.RECADO_NUMBER_PLAN,
    /** Between creating a campaign and its start, for accounts that chose none. */
    undoSeconds: env.RECADO_UNDO_SECONDS,
    mediaDays: env.RECADO_MEDIA_DAYS,
    /** The largest file that a person or a program may send. */
    attachmentMb: env.RECADO_ATTACHMENT_MB,
    /** Where files of messages lie; null: in the data folder. */
    s3: s3Of(env),
    /** Internal hosts that addresses of users may name (`purpose:host:port`, separated by commas). */
    privateHosts: env.RECADO_PRIVATE_HOSTS,
    gateways: env.RECADO_GATEWAYS ?? [],
    webhookUrl: env.RECADO_WEBHOOK_URL ?? env.RECADO_URL ?? `http://127.0.0.1:${env.PORT ?? DEFAULT_PORT}`,
    /** Mistral for accounts without their own key; null when not set. */
    mistral: { apiKey: env.RECADO_MISTRAL_KEY ?? null, baseUrl: env.RECADO_MISTRAL_URL ?? null },
    /** SMTP server and sender; null: no e-mail is sent. */
    mail:
      env.RECADO_SMTP_URL && env.RECADO_MAIL_FROM
        ? { server: env.RECADO_SMTP_URL, from: env.RECADO_MAIL_FROM }
        : null,
    /** Accounts that the operator's Mistral key, gateways and mail server serve. */
    services: {
      mistral: env.RECADO_MISTRAL_FOR ?? servedUnlessSaid(env),
      gateways: env.RECADO_GATEWAYS_FOR ?? servedUnlessSaid(env),
      mail: env.RECADO_MAIL_FOR ?? servedUnlessSaid(env),
    },
    /** WhatsApp Web version to claim; null: detected. */
    waVersion: env.RECADO_WA_VERSION ?? null,
    /** Shortens all waits of sending (acknowledgement, retry, doubt, reconnect), for test runs. */
    timeScale: env.RECADO_TIME_SCALE,
    /** Opens GET /metrics; null: no such route. */
    metricsToken: env.RECADO_METRICS_TOKEN ?? null,
    trustedProxies: env.RECADO_TRUST_PROXY ?? 0,
    /** True when RECADO_TRUST_PROXY is unset; 0 may be intended. */
    proxiesUnsaid: env.RECADO_TRUST_PROXY === undefined,
    logLevel: env.LOG_LEVEL,
  }));

/**
 * Default: on a private machine the services serve all accounts; where others can reach it, only named ones.
 */
const servedUnlessSaid = (env: Reach) => (isReachable(env) ? "named" : "all");

/** Reports all errors of the environment at once, so that fixing them takes one restart. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const parsed = Environment.safeParse(given);
  const errors = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  errors.push(...unknownNames(given));
  if (parsed.success && errors.length === 0) return parsed.data;
  throw new StartError(
    `A configuração tem ${errors.length === 1 ? "um problema" : `${errors.length} problemas`}:\n${errors.join("\n")}`,
  );
}

const KNOWN = new Set([
  "RECADO_PROCESS",
  "RECADO_DATA",
  "RECADO_URL",
  "RECADO_SECRET_KEY",
  "RECADO_BACKUP_PASSPHRASE",
  "RECADO_TERMS_FILE",
  "RECADO_SIGNUP",
  "RECADO_RESEND",
  "RECADO_NUMBER_PLAN",
  "RECADO_UNDO_SECONDS",
  "RECADO_MEDIA_DAYS",
  "RECADO_ATTACHMENT_MB",
  ...Object.keys(S3_SETTINGS),
  "RECADO_PRIVATE_HOSTS",
  "RECADO_GATEWAYS",
  "RECADO_WEBHOOK_URL",
  "RECADO_MISTRAL_KEY",
  "RECADO_MISTRAL_URL",
  "RECADO_SMTP_URL",
  "RECADO_MAIL_FROM",
  "RECADO_MISTRAL_FOR",
  "RECADO_GATEWAYS_FOR",
  "RECADO_MAIL_FOR",
  "RECADO_WA_VERSION",
  "RECADO_TIME_SCALE",
  "RECADO_TRUST_PROXY",
  "RECADO_METRICS_TOKEN",
]);

/** A misspelt name would silently do nothing. `RECADO_TEST_…` belong to the tests. */
function unknownNames(given: Record<string, unknown>): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith("RECADO_") && !name.startsWith("RECADO_TEST_") && !KNOWN.has(name))
    .map((name) => `  ${name}: não existe; as que existem são ${[...KNOWN].join(", ")}`);
}

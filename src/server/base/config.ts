import { z } from "zod";
import { wrongPrivateHosts } from "../net/addresses.ts";
import { readOperatorGateways } from "./operator-config.ts";
import { readSender, readSmtpUrl } from "./smtp-url.ts";
import { StartError } from "./start-error.ts";

/** All that the environment decides, checked. Unset, empty and blank mean the same. */
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

/** As its driver reads it, which knows an address without a host; a sign in the password may have cut it in two. */
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
  const { gateways, faults } = readOperatorGateways(text);
  for (const message of faults) context.addIssue({ code: "custom", message });
  return gateways;
});

const privateHosts = z.string().superRefine((text, context) => {
  for (const at of wrongPrivateHosts(text))
    context.addIssue({
      code: "custom",
      message: `item ${at}: use finalidade:servidor:porta, como gateway:evolution.interno:8080; as finalidades são gateway, mistral, relay (webhooks das pessoas) e picture (imagens por endereço)`,
    });
});

/** Its fault does not repeat it: there is a password in it. */
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

/** Whom a service of the operator's serves: accounts that are named (`account -- allow`), or all. */
const served = choice(["all", "named"]).optional();

export const DEFAULT_PORT = 3_000;

/** Addresses at which this machine alone reaches itself. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;

type Reach = { HOST: string; RECADO_URL?: string | undefined; RECADO_TRUST_PROXY?: number | undefined };

/** True where others than this machine may reach us: a public address or a proxy says so, wherever we listen. */
const isReachable = ({ HOST, RECADO_URL, RECADO_TRUST_PROXY = 0 }: Reach) =>
  !LOOPBACK.test(HOST) || RECADO_URL !== undefined || RECADO_TRUST_PROXY > 0;

/** What processes must be told when each does its own part. */
const NEEDED_APART = {
  DATABASE_URL:
    "falta; RECADO_PROCESS=web e RECADO_PROCESS=worker precisam de um PostgreSQL externo, o mesmo para todos os processos (o que vem junto serve a um só)",
  RECADO_URL:
    "falta; com RECADO_PROCESS=web ou worker, diga o endereço público, o mesmo para todos os processos: avisos por e-mail e webhooks levam a ele",
};

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
    if (env.RECADO_PROCESS === "all") return;
    for (const [name, message] of Object.entries(NEEDED_APART))
      if (env[name as keyof typeof NEEDED_APART] === undefined)
        context.addIssue({ code: "custom", path: [name], message });
  })
  .transform((env) => ({
    /** What this process does: serve pages and programs, work (send, receive, run jobs), or both. */
    process: env.RECADO_PROCESS,
    /** Null for one that only works and was given none: it then listens nowhere. */
    port: env.PORT ?? (env.RECADO_PROCESS === "worker" ? null : DEFAULT_PORT),
    host: env.HOST,
    /** As asked for; data-folder.ts decides. */
    dataFolder: env.RECADO_DATA,
    /** The public origin, without a slash at its end; null when nobody said. */
    publicUrl: env.RECADO_URL ?? null,
    /** Of an external PostgreSQL; null for the embedded one. */
    databaseUrl: env.DATABASE_URL ?? null,
    secretKey: env.RECADO_SECRET_KEY,
    /** Seals backups and opens sealed ones. */
    backupPassphrase: env.RECADO_BACKUP_PASSPHRASE,
    termsFile: env.RECADO_TERMS_FILE ?? null,
    /** Who may make an account. Unless said, a stranger cannot where others than this machine reach us. */
    signup: env.RECADO_SIGNUP ?? (isReachable(env) ? "first" : "open"),
    /** What to do with a message whose acknowledgement was lost: send it again under its id, or leave it to people. */
    resend: env.RECADO_RESEND,
    /** Hosts inside the network that people may name in addresses (`purpose:host:port`, separated by commas). */
    privateHosts: env.RECADO_PRIVATE_HOSTS,
    /** Gateways that every account may use with its own instances. */
    gateways: env.RECADO_GATEWAYS ?? [],
    /** The origin under which gateways reach us. */
    webhookUrl: env.RECADO_WEBHOOK_URL ?? env.RECADO_URL ?? `http://127.0.0.1:${env.PORT ?? DEFAULT_PORT}`,
    /** Mistral for accounts without a key of their own, and where it is; null when nobody said. */
    mistral: { apiKey: env.RECADO_MISTRAL_KEY ?? null, baseUrl: env.RECADO_MISTRAL_URL ?? null },
    /** Where letters go out and who they are from; null: none are sent. */
    mail:
      env.RECADO_SMTP_URL && env.RECADO_MAIL_FROM
        ? { server: env.RECADO_SMTP_URL, from: env.RECADO_MAIL_FROM }
        : null,
    /** Which accounts the operator's Mistral key, gateways and mail server serve. */
    services: {
      mistral: env.RECADO_MISTRAL_FOR ?? servedUnlessSaid(env),
      gateways: env.RECADO_GATEWAYS_FOR ?? servedUnlessSaid(env),
      mail: env.RECADO_MAIL_FOR ?? servedUnlessSaid(env),
    },
    /** Version of WhatsApp Web to claim, instead of the one found by itself. */
    waVersion: env.RECADO_WA_VERSION ?? null,
    /** Shortens every waiting time of sending alike (acknowledgement, retries, doubts, reconnection): for test runs. */
    timeScale: env.RECADO_TIME_SCALE,
    /** Opens GET /metrics; null: there is no such address. */
    metricsToken: env.RECADO_METRICS_TOKEN ?? null,
    trustedProxies: env.RECADO_TRUST_PROXY ?? 0,
    /** Nobody has said how many there are; 0 may be meant. */
    proxiesUnsaid: env.RECADO_TRUST_PROXY === undefined,
    logLevel: env.LOG_LEVEL,
  }));

/** On one's own machine, for trying it out, everything serves everybody; strangers may sign up where others reach it. */
const servedUnlessSaid = (env: Reach) => (isReachable(env) ? "named" : "all");

/** Reads the environment; every fault in it is told at once, so that nobody mends them one start at a time. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const parsed = Environment.safeParse(given);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  faults.push(...unknownNames(given));
  if (parsed.success && faults.length === 0) return parsed.data;
  throw new StartError(
    `A configuração tem ${faults.length === 1 ? "um problema" : `${faults.length} problemas`}:\n${faults.join("\n")}`,
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

/** A misspelt name would otherwise be a setting that silently does nothing. `RECADO_TEST_…` belong to the tests. */
function unknownNames(given: Record<string, unknown>): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith("RECADO_") && !name.startsWith("RECADO_TEST_") && !KNOWN.has(name))
    .map((name) => `  ${name}: não existe; as que existem são ${[...KNOWN].join(", ")}`);
}

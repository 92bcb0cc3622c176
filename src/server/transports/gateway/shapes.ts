import { z } from "zod";
import { readChatId } from "../../../domain/chat-id.ts";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import { drawnCode } from "./drawn-code.ts";

/** Evolution API 2.x and 1.8, as recorded (tests/recordings/evolution-api). */

/** Longer than any address or code. */
const LONGEST = 10_000;

/**
 * Just below a QR code's capacity at the highest error correction, in bytes: given more, a page shows
 * nothing.
 */
const LONGEST_CODE = 1_200;

/** What no database can hold must not enter. */
const Text = z
  .string()
  .transform((text) => cleanText(text, LONGEST))
  .nullable()
  .catch(null);
/** A million empty rows in 8 MB would block the process for almost a minute. */
const first = (most: number) =>
  z.custom<unknown[]>((value) => Array.isArray(value)).transform((rows) => rows.slice(0, most));
/** More than any server or page has. */
const MOST_ROWS = 10_000;
/** Numbers per query, and events per webhook. */
const MOST_FEW = 100;
const Count = z.number().int().nonnegative().catch(0);
const When = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  // Our answers cannot express other years.
  .refine((at) => at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9999)
  .nullable()
  .catch(null);

/** GET /. Others may answer 200 too. */
export const Welcome = z.object({ version: z.string().min(1).max(60), message: z.string() });

export type GatewayInstance = {
  id: string | null;
  /** May be empty; gateways accept every name. */
  name: string;
  /** The database's `open`, `connecting`, `close`; often late. `connectionState` is right. */
  storedState: string;
  integration: string;
  /** As WhatsApp writes it. */
  ownerJid: string | null;
  /** Canonical digits. */
  phone: string | null;
  number: string | null;
  token: string | null;
  profileName: string | null;
  pictureUrl: string | null;
  /**
   * Last end: 401 removed, 402 temporary ban, 403 and 406 ban, 408 unreachable, after which 2.4 drops the
   * session.
   */
  endedBy: number | null;
  /** The gateway itself was asked to end it. */
  endedThere: boolean;
  /** End of a temporary ban, if WhatsApp named it. */
  bannedUntil: Date | null;
  counts: { messages: number; contacts: number; chats: number };
  createdAt: Date | null;
};

const BAILEYS = "WHATSAPP-BAILEYS";

export function phoneOf(jid: string | null): string | null {
  const id = jid === null ? null : readChatId(jid);
  return id?.kind === "phone" ? id.phone : null;
}

const UNLINKED = 401;
const BANNED_FOR_A_TIME = 402;
/** Bans over ten years show no end date. */
const MOST_SECONDS = 10 * 366 * 86_400;

/** JSON in a text. */
function endOf(kept: unknown): unknown {
  if (typeof kept !== "string" || kept.length > LONGEST) return null;
  try {
    return valueAt(JSON.parse(kept), "error");
  } catch {
    return null;
  }
}

/** In seconds. */
function banEnd(kept: unknown, at: Date | null): Date | null {
  const seconds = readNumber(valueAt(endOf(kept), "data", "expire")) ?? 0;
  return at !== null && seconds > 0 && seconds <= MOST_SECONDS
    ? new Date(at.getTime() + seconds * 1_000)
    : null;
}

/** Recording 09d. */
const isLogout = (kept: unknown) =>
  /^Log out instance\b/.test(textAt(endOf(kept), "output", "payload", "message") ?? "");

/** 2.x: flat fields. */
const FlatRow = z
  .object({
    id: Text,
    name: z.string(),
    connectionStatus: Text,
    ownerJid: Text,
    profileName: Text,
    profilePicUrl: Text,
    integration: Text,
    number: Text,
    token: Text,
    disconnectionReasonCode: z.number().nullable().catch(null),
    disconnectionObject: z.unknown().optional(),
    disconnectionAt: When,
    createdAt: When,
    _count: z.object({ Message: Count, Contact: Count, Chat: Count }).nullable().catch(null),
  })
  .transform(
    (row): GatewayInstance => ({
      id: row.id,
      name: row.name,
      ownerJid: row.ownerJid,
      number: row.number,
      token: row.token,
      profileName: row.profileName,
      createdAt: row.createdAt,
      phone: phoneOf(row.ownerJid),
      storedState: row.connectionStatus ?? "close",
      integration: row.integration ?? BAILEYS,
      pictureUrl: row.profilePicUrl,
      endedBy: row.disconnectionReasonCode,
      endedThere: row.disconnectionReasonCode === UNLINKED && isLogout(row.disconnectionObject),
      bannedUntil:
        row.disconnectionReasonCode === BANNED_FOR_A_TIME
          ? banEnd(row.disconnectionObject, row.disconnectionAt)
          : null,
      counts: {
        messages: row._count?.Message ?? 0,
        contacts: row._count?.Contact ?? 0,
        chats: row._count?.Chat ?? 0,
      },
    }),
  );

/** 1.8: under `instance`, other names, no counts. */
const OldRow = z
  .object({
    instance: z.object({
      instanceName: z.string(),
      instanceId: Text,
      owner: Text,
      profileName: Text,
      profilePictureUrl: Text,
      status: Text,
      apikey: Text,
      integration: Text,
    }),
  })
  .transform(
    ({ instance: row }): GatewayInstance => ({
      id: row.instanceId,
      name: row.instanceName,
      ownerJid: row.owner,
      token: row.apikey,
      phone: phoneOf(row.owner),
      number: null,
      storedState: row.status ?? "close",
      integration: row.integration ?? BAILEYS,
      profileName: row.profileName,
      pictureUrl: row.profilePictureUrl,
      endedBy: null,
      endedThere: false,
      bannedUntil: null,
      counts: { messages: 0, contacts: 0, chats: 0 },
      createdAt: null,
    }),
  );

const nameIn = (row: unknown): unknown => valueAt(row, "name") ?? valueAt(row, "instance", "instanceName");

/** Chosen by shape: a failed validation takes longer than reading the row. */
function readRow(row: unknown): GatewayInstance | undefined {
  if (typeof nameIn(row) !== "string") return undefined;
  return (typeof valueAt(row, "name") === "string" ? FlatRow : OldRow).safeParse(row).data;
}

const OneOrMany = z.union([first(MOST_ROWS), z.object({ instances: first(MOST_ROWS) }), FlatRow, OldRow]);

/**
 * GET /instance/fetchInstances: a list, one row (1.8, by name) or `{instances: […]}`. Unreadable rows are
 * skipped. `name` reads only that row: some servers return ten thousand, and the query repeats every few
 * seconds.
 */
export const instancesOf = (name?: string) =>
  OneOrMany.transform((answer): GatewayInstance[] => {
    if ("name" in answer) return [answer];
    const rows = "instances" in answer ? answer.instances : answer;
    const wanted = name === undefined ? rows : rows.filter((row) => nameIn(row) === name);
    return wanted.flatMap((row) => readRow(row) ?? []);
  });

/** `base64`: the gateway's image, a data URI, also `code` if sent alone (specification). */
export type GatewayCode = { code: string; pairingCode: string | null; base64: string | null };

function cleanAt(answer: unknown, name: string): string | null {
  const text = textAt(answer, name);
  return text === null ? null : cleanText(text, LONGEST) || null;
}

function readCode(answer: unknown): GatewayCode | null {
  const base64 = textAt(answer, "base64");
  const codeText = cleanAt(answer, "code");
  const code =
    codeText !== null && Buffer.byteLength(codeText) <= LONGEST_CODE ? codeText : drawnCode(base64);
  return code === null ? null : { code, pairingCode: cleanAt(answer, "pairingCode"), base64 };
}

export type CreatedInstance = {
  id: string | null;
  name: string;
  state: string;
  token: string | null;
  qr: GatewayCode | null;
};

/** POST /instance/create. Token: `hash`, in 1.8 `hash.apikey`. */
export const Created = z
  .object({
    instance: z.object({ instanceName: z.string(), instanceId: Text, status: Text }),
    hash: z.unknown().optional(),
    qrcode: z.unknown().optional(),
  })
  .transform(
    ({ instance, hash, qrcode }): CreatedInstance => ({
      id: instance.instanceId,
      name: instance.instanceName,
      state: instance.status ?? "close",
      token: typeof hash === "string" && hash !== "" ? hash : textAt(hash, "apikey"),
      qr: readCode(qrcode),
    }),
  );

/**
 * A QR code (with pairing code if the instance has a number), a pairing code, nothing yet (`count` codes so
 * far), or open.
 */
export type ConnectAnswer =
  | ({ kind: "qr" } & GatewayCode)
  | { kind: "pairing"; pairingCode: string }
  | { kind: "none"; count: number }
  | { kind: "open" };

/** GET /instance/connect/{name}. */
export const Connect = z.record(z.string(), z.unknown()).transform((answer, check): ConnectAnswer => {
  const qr = readCode(answer);
  if (qr) return { kind: "qr", ...qr };
  const pairingCode = cleanAt(answer, "pairingCode");
  if (pairingCode) return { kind: "pairing", pairingCode };
  const state = valueAt(answer, "instance", "state") ?? valueAt(answer, "instance", "status");
  if (state === "open") return { kind: "open" };
  const count = readNumber(valueAt(answer, "count"));
  // Recording 07a: {}.
  if (count === null && state === undefined && Object.keys(answer).length > 0)
    check.addIssue({ code: "custom", message: "not an answer of connect" });
  return { kind: "none", count: count ?? 0 };
});

/** GET /instance/connectionState/{name}: `open`, `connecting`, `close`, `refused` or others. */
export const State = z
  .object({ instance: z.object({ state: Text, status: Text }) })
  .transform(({ instance }, check) => {
    const state = instance.state ?? instance.status;
    if (!state) check.addIssue({ code: "custom", message: "no state" });
    return state ?? "";
  });

export type StoredWebhook = {
  url: string;
  enabled: boolean;
  headers: Record<string, string>;
  events: string[];
  byEvents: boolean;
  base64: boolean;
};

/** The row of POST /webhook/set and GET /webhook/find. */
export const Webhook = z
  .object({
    url: z.string().catch(""),
    enabled: z.boolean().catch(true),
    headers: z.record(z.string(), z.string()).catch({}),
    events: first(MOST_FEW).pipe(z.array(z.string())).catch([]),
    webhookByEvents: z.boolean().catch(false),
    // Default: as we asked.
    webhookBase64: z.boolean().catch(true),
  })
  .transform(
    ({ webhookByEvents, webhookBase64, ...row }): StoredWebhook => ({
      ...row,
      byEvents: webhookByEvents,
      base64: webhookBase64,
    }),
  );

/** GET /webhook/find; never set: null or no URL. */
export const FoundWebhook = Webhook.nullable().transform((row) =>
  row === null || row.url === "" ? null : row,
);

/** POST /message/send…: 201 means taken. `status` is mostly `PENDING`, or absent. */
export const Sent = z.object({
  status: z.unknown().optional(),
  key: z.object({
    id: z
      .string()
      .max(200)
      .regex(/^[^\p{C}]+$/u),
  }),
});
export type SentAnswer = z.infer<typeof Sent>;

/** POST /chat/whatsappNumbers. `lid` can be the word "lid" (recording 09b). */
export const Numbers = first(MOST_FEW).pipe(
  z.array(
    z.object({
      jid: z.string(),
      exists: z.boolean(),
      number: z.string(),
      lid: z
        .string()
        .regex(/^\d+@lid$/)
        .nullable()
        .catch(null),
    }),
  ),
);
export type NumberAnswer = z.infer<typeof Numbers>[number];

/** POST /chat/findMessages: a page (2.x), or all (1.8). */
export const FoundMessages = z
  .union([
    z.object({
      messages: z.object({ total: Count, pages: Count, currentPage: Count, records: first(MOST_ROWS) }),
    }),
    first(MOST_ROWS),
  ])
  .transform((answer) =>
    Array.isArray(answer)
      ? { total: answer.length, pages: 1, records: answer }
      : { total: answer.messages.total, pages: answer.messages.pages, records: answer.messages.records },
  );

/** Only the status counts. */
export const Anything = z.unknown();

/** Answer of `findGroupInfos`. */
export const GroupInfo = z.object({ subject: z.string().min(1).max(1_000).nullable().catch(null) });

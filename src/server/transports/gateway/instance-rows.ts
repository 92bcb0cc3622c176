import { z } from "zod";
import { readChatId } from "../../../domain/chat-id.ts";
import { readNumber, textAt, valueAt } from "../content/own-values.ts";
import { Count, first, LONGEST, MOST_ROWS, Text, When } from "./fields.ts";

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
 * skipped. `name` reads only that row: some servers return ten thousand, every few seconds.
 */
export const instancesOf = (name?: string) =>
  OneOrMany.transform((answer): GatewayInstance[] => {
    if ("name" in answer) return [answer];
    const rows = "instances" in answer ? answer.instances : answer;
    const wanted = name === undefined ? rows : rows.filter((row) => nameIn(row) === name);
    return wanted.flatMap((row) => readRow(row) ?? []);
  });

import { z } from "zod";
import { cleanText, readNumber, textAt, valueAt } from "../content/own-values.ts";
import { drawnCode } from "./drawn-code.ts";
import { Count, first, LONGEST, MOST_FEW, MOST_ROWS, Text } from "./fields.ts";

/** Evolution API 2.x and 1.8, as recorded (tests/recordings/evolution-api). */

/**
 * Just below a QR code's capacity at the highest error correction, in bytes: given more, a page shows
 * nothing.
 */
const LONGEST_CODE = 1_200;

/** GET /. Others may answer 200 too. */
export const Welcome = z.object({ version: z.string().min(1).max(60), message: z.string() });

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

/** POST /chat/getBase64FromMediaMessage. */
export const FetchedMedia = z.object({ base64: z.string() });

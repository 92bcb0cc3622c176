import { z } from "zod";
import { SENT_AS } from "../domain/attachment.ts";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

/** A number as entered, normalized by the server, or a gateway's instance name, which may be long. */
const DeviceId = z
  .string()
  .max(300)
  .describe("The connection's number, in any usual writing, or the name of a gateway's instance");
const DeviceParams = z.object({ deviceId: DeviceId });

export const ConnectionState = z.enum(["connected", "connecting", "pending", "disconnected"]);

/** WhatsApp's quota of new conversations until the cycle's end; null elsewhere: unknown. */
export const NewChats = z.object({
  total: z.number(),
  used: z.number(),
  left: z.number(),
  until: z.string(),
  readAt: z.string(),
});

export const Connection = z.object({
  id: z.number(),
  deviceId: z.string(),
  number: z.string().nullable(),
  name: z.string(),
  kind: z.enum(["device", "instance"]),
  state: ConnectionState,
  /** `disconnected` after «Desconectar», until «Reconectar». */
  desired: z.enum(["connected", "disconnected", "removed"]),
  /** A phone was linked before, so `connecting` reconnects without a person. */
  linked: z.boolean(),
  /**
   * State reason as a code, null if there is none; texts are in the web catalogue. backlog_unread holds
   * campaigns for ten minutes at most; new_chats_refused is retried at `causeUntil`.
   */
  cause: z.string().nullable(),
  causeUntil: z.string().nullable(),
  since: z.string(),
  isDefault: z.boolean(),
  /**
   * Raw text of the QR code, or an image (`data:image/png;base64,…`) from gateways without text. Replaced
   * when it expires.
   */
  qr: z.string().nullable(),
  qrExpiresAt: z.string().nullable(),
  pairingCode: z.string().nullable(),
  pairingCodeExpiresAt: z.string().nullable(),
  newChats: NewChats.nullable(),
  campaigns: z.object({
    sending: z.number(),
    paused: z.number(),
    scheduled: z.number(),
    names: z.array(z.string()),
  }),
});
export type Connection = z.infer<typeof Connection>;

const Status = ConnectionState.describe("What the connection is doing now");
const KnownDeviceId = z.string().describe("Digits of the number, or the name of a gateway's instance");
const Success = z.boolean().describe("True: an error is answered with its status and a code");

export const ConnectRequest = z.object({
  /** The caller's own id; any other id answers as not found. */
  userId: z
    .string()
    .max(60)
    .optional()
    .describe("The caller's own id where given; anybody else's answers as if it did not exist"),
  deviceId: z
    .string()
    .max(300)
    .describe("The number to connect, with DDD; of another country with + and its code"),
  connectionName: z
    .string()
    .max(120)
    .optional()
    .describe("What the connection is to be called; empty or absent: `WhatsApp ` and the number"),
});

export const ConnectAnswer = z.object({
  status: Status,
  deviceId: KnownDeviceId,
  error: z.string().optional().describe("Why it could not be connected so far, in words"),
});

export const Device = z.object({
  deviceId: KnownDeviceId,
  kind: z.enum(["device", "instance"]).describe("`instance`: of a gateway; its deviceId is a name"),
  connection_name: z.string().describe("What the connection is called; may be empty"),
  status: Status,
  isDefault: z.boolean().describe("Whether it was made the default connection"),
});

export const SendRequest = z.object({
  deviceId: DeviceId,
  number: z.string().max(60).describe("Recipient: DDD and number, or + with a country code"),
  message: z.string().max(20_000).default("").describe("The text; may be empty where there is a file"),
  imagemUrl: z
    .string()
    .max(8000)
    .nullish()
    .describe("Address of a JPEG, PNG or WebP picture (up to 16 MB) that the server fetches and sends along"),
  attachmentUrl: z
    .string()
    .max(8000)
    .optional()
    .describe("Address of any file (up to 16 MB) that the server fetches and sends along"),
  attachmentName: z
    .string()
    .max(1_000)
    .optional()
    .describe("Its file name; default: the address's last part"),
  attachmentAs: z
    .enum(SENT_AS)
    .optional()
    .describe("`document`: unchanged, to be downloaded; `voice`: an Opus recording, as a voice note"),
  attachmentId: RowId.optional().describe("A file stored by POST /api/attachments, instead of an address"),
  idempotencyKey: IdempotencyKey.optional().describe(
    "The same key with the same body is the same message, however often it is sent in 24 hours",
  ),
});

/**
 * `sent`: acknowledged by WhatsApp. With 202: `accepted` by the gateway, or `pending` after 90 s; the same
 * key asks again.
 */
export const SendAnswer = z.object({
  success: z.boolean().describe("Whether WhatsApp acknowledged it: false while it is on its way"),
  id: z.string().describe("The message's number in this product"),
  status: z
    .enum(["sent", "accepted", "pending"])
    .describe(
      "`sent`: WhatsApp acknowledged it; `accepted`: the gateway took it, WhatsApp has not confirmed it yet; `pending`: still on its way. The same key asks again",
    ),
});

export const whatsapp = {
  connect: endpoint({
    method: "POST",
    path: "/api/whatsapp/connect",
    summary: "Add a number and connect it; its QR code follows under /api/whatsapp/qr/{deviceId}",
    access: "key",
    body: ConnectRequest,
    answer: ConnectAnswer,
  }),
  devices: endpoint({
    method: "GET",
    path: "/api/whatsapp/devices",
    summary: "The numbers and instances of this account",
    access: "key",
    answer: z.object({ devices: z.array(Device).describe("All of them, without pages") }),
  }),
  send: endpoint({
    method: "POST",
    path: "/api/whatsapp/send",
    sends: true,
    summary:
      "Send one message; answers once WhatsApp acknowledged it, or 202 after 90 seconds. `number`: a Brazilian number in any usual form, a number with + and country code, or the digits of a known conversation or contact. A refusal with `details.unsent` has sent nothing",
    access: "key",
    body: SendRequest,
    answer: SendAnswer,
    later: 202,
  }),
  status: endpoint({
    method: "GET",
    path: "/api/whatsapp/status/{deviceId}",
    summary: "State of a number: connected, connecting, pending or disconnected",
    access: "key",
    params: DeviceParams,
    answer: z.object({
      status: Status,
      cause: z
        .string()
        .nullable()
        .describe("Why it is not, or not quite, connected, as a code; null where there is nothing to say"),
      causeUntil: z
        .string()
        .nullable()
        .describe("When the cause ends by itself, if that is known: ISO 8601 in UTC"),
    }),
  }),
  qr: endpoint({
    method: "GET",
    path: "/api/whatsapp/qr/{deviceId}",
    summary: "Raw text of the QR code to scan; 404 until there is one",
    access: "key",
    params: DeviceParams,
    answer: z.object({
      qr: z
        .string()
        .describe(
          "Raw text of the code, or a drawing of it (`data:image/png;base64,…`) where a gateway sends no text",
        ),
      expiresAt: z.string().describe("Until when it can be scanned: ISO 8601 in UTC"),
    }),
  }),
  endSession: endpoint({
    method: "DELETE",
    path: "/api/whatsapp/session/{deviceId}",
    summary:
      "End the session and forget the pairing; the connection stays. A status other than `disconnected`: not done yet, and tried again",
    access: "key",
    params: DeviceParams,
    answer: z.object({ success: Success, status: Status }),
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/whatsapp/devices/{deviceId}",
    summary: "Remove a number; its campaigns pause",
    access: "key",
    params: DeviceParams,
    answer: z.object({ success: Success }),
  }),
};

export const connections = {
  list: endpoint({
    method: "GET",
    path: "/api/connections",
    summary: "All connections with their states, causes and QR codes",
    access: "user",
    answer: z.object({ connections: z.array(Connection) }),
  }),
  makeDefault: endpoint({
    method: "POST",
    path: "/api/connections/{id}/default",
    summary: "Make it the default connection",
    access: "user",
    params: IdParams,
    // Undo: works only while that connection is the default, else `undo_too_late`.
    query: z.object({ insteadOf: RowId.optional() }),
    answer: Connection,
  }),
  pairingCode: endpoint({
    method: "POST",
    path: "/api/connections/{id}/pairing-code",
    summary:
      "Ask for a code to type on the phone; it arrives in the connection's pairingCode. 409 `pairing_code_refused` for an instance whose number is not known",
    access: "user",
    params: IdParams,
    answer: Connection,
  }),
  reconnect: endpoint({
    method: "POST",
    path: "/api/connections/{id}/reconnect",
    summary: "Connect again after «Desconectar» or a logout on the phone",
    access: "user",
    params: IdParams,
    answer: Connection,
  }),
  newQr: endpoint({
    method: "POST",
    path: "/api/connections/{id}/qr",
    summary: "Ask for new QR codes after all of them expired",
    access: "user",
    params: IdParams,
    answer: Connection,
  }),
};

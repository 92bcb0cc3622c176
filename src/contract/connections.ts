import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { IdempotencyKey, IdParams, RowId } from "./ids.ts";

/**
 * The digits of a connection's number, as typed (`+`, spaces, dashes and a missing country code are put right by the server), or the
 * name of a gateway's instance. Names at gateways may be long.
 */
const DeviceId = z
  .string()
  .max(300)
  .describe("The connection's number, in any usual writing, or the name of a gateway's instance");
const DeviceParams = z.object({ deviceId: DeviceId });

export const ConnectionState = z.enum(["connected", "connecting", "pending", "disconnected"]);

/** One connection as the screens show it. Times are ISO 8601 in UTC; codes get their words from the web's catalogue. */
export const Connection = z.object({
  id: z.number(),
  /** Digits of the number, or the name of a gateway's instance. */
  deviceId: z.string(),
  /** Digits of its own number; null for an instance that was never linked. */
  number: z.string().nullable(),
  name: z.string(),
  kind: z.enum(["device", "instance"]),
  state: ConnectionState,
  /** What its owner wants: `disconnected` after «Desconectar», until «Reconectar». */
  desired: z.enum(["connected", "disconnected", "removed"]),
  /** Whether a phone has linked it at some time: while it is `connecting` it is then on its way back, and waits for nobody. */
  linked: z.boolean(),
  /**
   * Why it is not (quite) connected, as a code, null when there is nothing to say: network, logged_out, banned, temp_banned, replaced,
   * qr_expired, timelocked (no new conversations), client_outdated, untrusted_server, pairing_refused, disconnected_by_user, key_lost (the server's secret key,
   * and with it this session); of instances also license_required, offline_loop, unreachable, server_errors (it answers, but
   * with errors), wrong_key, gone, withdrawn (its server, by the
   * operator), ended_there (its server has thrown the session away, or was told to end it), ending (its server has not confirmed the
   * disconnection, and is asked again); connected and yet worth saying: other_number (another phone than the named one was linked),
   * new_chats_refused (as timelocked, without an end: `causeUntil` is when it is tried again), replies_refused (people with a conversation
   * are refused as well), devices_refused (WhatsApp refuses the messages to everybody, and it is tried again), upload_failed (WhatsApp's
   * media host takes no image; what has none goes on), backlog_unread (the gateway does not hand out what was written while it was away;
   * campaigns wait for it, ten minutes at most), catching_up (campaigns wait for what was written while it was away to be taken in),
   * rate_limited (a pause
   * was asked for), not_sending (try after try nothing leaves).
   */
  cause: z.string().nullable(),
  /** When the cause ends by itself (a time-lock, a ban for a time), if that is known. */
  causeUntil: z.string().nullable(),
  /** Since when it is in this state. */
  since: z.string(),
  isDefault: z.boolean(),
  /** Raw text of the QR code to draw, or a drawing of it (`data:image/png;base64,…`) where a gateway sends no text; while one can be scanned. A new one arrives by itself when it expires. */
  qr: z.string().nullable(),
  qrExpiresAt: z.string().nullable(),
  /** Eight characters to type on the phone instead of scanning. */
  pairingCode: z.string().nullable(),
  pairingCodeExpiresAt: z.string().nullable(),
  /** Campaigns that deleting this connection stops, by what they are doing now; `names` holds those of the first five. */
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
const Success = z.boolean().describe("True: a fault is answered with its status and a code");

export const ConnectRequest = z.object({
  /** The caller's own id where given; anybody else's answers as if it did not exist. */
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
  number: z.string().max(60).describe("Whom it is for: DDD and number, or + with a country code"),
  message: z.string().max(20_000).default("").describe("The text; may be empty where there is a picture"),
  imagemUrl: z
    .string()
    .max(8000)
    .nullish()
    .describe("Address of a JPEG, PNG or WebP picture (up to 5 MB) that the server fetches and sends along"),
  idempotencyKey: IdempotencyKey.optional().describe(
    "The same key with the same body is the same message, however often it is sent in 24 hours",
  ),
});

/**
 * `sent`: WhatsApp acknowledged it. With HTTP 202, `accepted`: its gateway took it, WhatsApp has not confirmed it; `pending`: still on
 * its way after 90 s. The same key asks again.
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

/** The provider's REST interface, for the signed-in person and for programs with an API key. */
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
      "Send one message; answers once WhatsApp acknowledged it, or 202 after 90 seconds. `number`: in any writing of Brazil, with + and its country code, or the digits of somebody whom a conversation or a list names. A refusal with `details.unsent` has sent nothing",
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

/** What the screens need beyond it. */
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
    // To take a choice back: only while that one is the default, else the answer is `undo_too_late`.
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

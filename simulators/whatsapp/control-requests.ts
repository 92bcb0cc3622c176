import { z } from "zod";

/** Digits of a number with its country code, as everywhere in this API. */
const phone = z.string().regex(/^\d{5,20}$/);
const milliseconds = z.number().int().min(0);
const count = z.number().int().min(0);
const code = z.number().int().min(100).max(999);
const base64 = z.string().min(1);

const PersonSettingsChange = z
  .strictObject({
    onWhatsApp: z.boolean(),
    registeredAs: phone.nullable(),
    deliversAfterMs: milliseconds.nullable(),
    readsAfterMs: milliseconds.nullable(),
    repliesWith: z.string().nullable(),
    repliesAfterMs: milliseconds,
    refusesWith: code.nullable(),
    name: z.string().nullable(),
  })
  .partial();

const FaultsChange = z
  .strictObject({
    refuseNext: z.strictObject({ code, count }).nullable(),
    dropAcks: count,
    delayAcks: z.strictObject({ ms: milliseconds, count: count.nullable() }).nullable(),
    cutBeforeAccept: count,
    cutAfterAccept: count,
    failLogins: z
      .strictObject({
        code: code.nullable(),
        count,
        phone: phone.nullable().default(null),
        expire: z.number().int().positive().nullable().default(null),
      })
      .nullable(),
    failQueries: z
      .strictObject({ namespace: z.string(), code: code.or(z.literal("cut")).nullable(), count })
      .nullable(),
    delayQueries: z.strictObject({ namespace: z.string(), ms: milliseconds, count }).nullable(),
    bareLookups: z.strictObject({ code: code.nullable(), count }).nullable(),
    deadCompanions: z.boolean(),
    unreachable: z.boolean(),
    refuseUpgrades: z.strictObject({ status: code, count }).nullable(),
    failUploads: count,
    cutUploads: count,
    dripUploads: count,
    refreshOnFirstScan: z.boolean(),
    rejectPairingCode: z.boolean(),
  })
  .partial();

const content = {
  text: z.string().optional(),
  /** Image bytes; `text` is then its caption. */
  imageBase64: base64.optional(),
  mimetype: z.string().default("image/jpeg"),
  id: z.string().min(1).optional(),
};

/** What each call of the control API takes. An unknown field is refused: it would be a fault not simulated. */
export const REQUESTS = {
  info: z.strictObject({}),
  scan: z.strictObject({ qr: z.string(), phone, name: z.string().optional() }),
  typeCode: z.strictObject({ code: z.string(), phone, name: z.string().optional() }),
  removeDevice: z.strictObject({ phone, device: count.optional() }),
  accounts: z.strictObject({}),
  people: z.strictObject({ phones: z.array(phone).optional(), settings: PersonSettingsChange }),
  write: z.strictObject({
    from: phone,
    to: phone,
    ...content,
    /** WhatsApp tells linked devices that there is something which only the phone shows, and nothing of it. */
    seenOnce: z.boolean().default(false),
    /** To a broadcast list of theirs that the number is in. */
    toList: z.boolean().default(false),
  }),
  /** Somebody corrects what they wrote to a number. */
  edit: z.strictObject({ from: phone, to: phone, id: z.string().min(1), text: z.string() }),
  /** The owner of a number types on the phone itself: linked devices get a copy. `to`: digits, or a group's id. */
  typeOnPhone: z.strictObject({
    phone,
    to: z.string().regex(/^(\d{5,20}|.+@g\.us)$/),
    text: z.string(),
    id: z.string().min(1).optional(),
  }),
  createGroup: z.strictObject({
    subject: z.string(),
    members: z.array(phone).min(1),
    id: z.string().optional(),
  }),
  writeToGroup: z.strictObject({
    from: phone,
    group: z.string(),
    text: z.string(),
    id: z.string().optional(),
  }),
  receipts: z.strictObject({
    from: phone,
    to: phone,
    ids: z.array(z.string()).min(1),
    type: z.enum(["delivered", "read", "played"]).default("delivered"),
    group: z.string().optional(),
  }),
  /** The owner of a number reads on the phone itself what somebody wrote, in a group one of its members. */
  readOnPhone: z.strictObject({
    phone,
    from: phone,
    group: z.string().optional(),
    ids: z.array(z.string()).min(1),
    /** They let nobody else know what they read. */
    quietly: z.boolean().default(false),
  }),
  faults: FaultsChange,
  timelock: z.strictObject({
    phone,
    /** Unix seconds; null lifts it. */
    until: z.number().int().nullable(),
    kind: z.string().default("WEB_COMPANION_ONLY"),
    /** The number is restricted, and WhatsApp does not say until when. */
    endless: z.boolean().default(false),
  }),
  cut: z.strictObject({ phone: phone.optional() }),
  silence: z.strictObject({ phone: phone.optional(), silent: z.boolean() }),
  endStream: z.strictObject({ phone, code }),
  clock: z.strictObject({ hold: z.boolean().optional(), advanceMs: milliseconds.optional() }),
  messages: z.strictObject({
    /** Recipient: what this phone shows, or with `shown: false` all that was sent to it. */
    to: z.string().optional(),
    from: phone.optional(),
    id: z.string().optional(),
    shown: z.boolean().optional(),
    offset: count.default(0),
    limit: count.default(1000),
    /** Waits until so many are found, at most `timeoutMs`. */
    atLeast: count.default(0),
    timeoutMs: milliseconds.default(60_000),
  }),
  image: z.strictObject({ to: z.string(), id: z.string(), from: phone.optional() }),
  stats: z.strictObject({}),
  reset: z.strictObject({
    /** Linked devices stay linked and connected; only messages, settings and faults are forgotten. */
    keepDevices: z.boolean().default(false),
  }),
  shutdown: z.strictObject({}),
} as const;

export type Calls = typeof REQUESTS;
export type CallName = keyof Calls;
export const CALL_NAMES = Object.keys(REQUESTS) as CallName[];

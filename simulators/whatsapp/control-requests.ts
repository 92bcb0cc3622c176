import { z } from "zod";

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
    silentPhones: count,
    refreshOnFirstScan: z.boolean(),
    rejectPairingCode: z.boolean(),
  })
  .partial();

const content = {
  text: z.string().optional(),
  imageBase64: base64.optional(),
  mimetype: z.string().default("image/jpeg"),
  id: z.string().min(1).optional(),
};

const file = z.strictObject({
  kind: z.enum(["image", "video", "audio", "document", "sticker"]),
  base64: z.string(),
  mimetype: z.string(),
  fileName: z.string().optional(),
  seconds: count.optional(),
  ptt: z.boolean().default(false),
  pages: count.optional(),
  size: count.optional(),
  wrongHash: z.boolean().default(false),
});

/** Unknown fields are refused; otherwise a fault would silently not be simulated. */
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
    file: file.optional(),
    /** View-once: linked devices learn only that it exists. */
    seenOnce: z.boolean().default(false),
    toList: z.boolean().default(false),
  }),
  /** From the media host; `phoneKeeps`: the sender's phone can upload it again. */
  removeFile: z.strictObject({ id: z.string().min(1), phoneKeeps: z.boolean().default(true) }),
  edit: z.strictObject({ from: phone, to: phone, id: z.string().min(1), text: z.string() }),
  /** `to`: digits or group id. */
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
  readOnPhone: z.strictObject({
    phone,
    from: phone,
    group: z.string().optional(),
    ids: z.array(z.string()).min(1),
    quietly: z.boolean().default(false),
  }),
  faults: FaultsChange,
  timelock: z.strictObject({
    phone,
    until: z.number().int().nullable(),
    kind: z.string().default("WEB_COMPANION_ONLY"),
    endless: z.boolean().default(false),
    notify: z.enum(["no", "also", "only"]).default("no"),
  }),
  quota: z.strictObject({
    phone,
    total: count.nullable(),
    used: count.default(0),
    until: z.number().int().default(4_102_444_800),
    notify: z.boolean().default(false),
  }),
  cut: z.strictObject({ phone: phone.optional() }),
  silence: z.strictObject({ phone: phone.optional(), silent: z.boolean() }),
  endStream: z.strictObject({ phone, code }),
  clock: z.strictObject({ hold: z.boolean().optional(), advanceMs: milliseconds.optional() }),
  messages: z.strictObject({
    /** `shown: false`: everything sent to it. */
    to: z.string().optional(),
    from: phone.optional(),
    id: z.string().optional(),
    shown: z.boolean().optional(),
    offset: count.default(0),
    limit: count.default(1000),
    atLeast: count.default(0),
    timeoutMs: milliseconds.default(60_000),
  }),
  image: z.strictObject({ to: z.string(), id: z.string(), from: phone.optional() }),
  stats: z.strictObject({}),
  reset: z.strictObject({
    keepDevices: z.boolean().default(false),
  }),
  shutdown: z.strictObject({}),
} as const;

export type Calls = typeof REQUESTS;
export type CallName = keyof Calls;
export const CALL_NAMES = Object.keys(REQUESTS) as CallName[];

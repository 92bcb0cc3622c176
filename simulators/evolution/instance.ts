import { newToken, rowId, uuid } from "./identifiers.ts";
import type { ReceivedMedia } from "./message-shapes.ts";
import { type MessageStore, makeMessageStore } from "./message-store.ts";

export type Integration = "WHATSAPP-BAILEYS" | "EVOLUTION";
export type State = "open" | "connecting" | "close";

export type WebhookRow = {
  id: string;
  url: string;
  headers: Record<string, string> | null;
  enabled: boolean;
  events: string[];
  webhookByEvents: boolean;
  webhookBase64: boolean;
  createdAt: string;
  updatedAt: string;
  instanceId: string;
};

export type Settings = {
  rejectCall: boolean;
  msgCall: string;
  groupsIgnore: boolean;
  alwaysOnline: boolean;
  readMessages: boolean;
  readStatus: boolean;
  syncFullHistory: boolean;
  wavoipToken: string;
};

export type QrCode = { pairingCode: string | null; code: string; base64: string };

export type ContactRow = {
  id: string;
  remoteJid: string;
  pushName: string | null;
  profilePicUrl: string | null;
  createdAt: string;
  updatedAt: string;
};

export type Instance = {
  id: string;
  name: string;
  token: string;
  number: string | null;
  integration: Integration;
  state: State;
  /** May differ from `state` (recordings 02, 07a). */
  rowState: State;
  ownerJid: string | null;
  profileName: string | null;
  profilePicUrl: string | null;
  disconnection: { code: number; object: string; at: string } | null;
  createdAt: string;
  updatedAt: string;
  settings: Settings;
  settingsId: string;
  webhook: WebhookRow | null;
  qr: QrCode | null;
  qrCount: number;
  closedAs: "never connected" | "waiting for scan" | "removed";
  /** Tasks of an older connection stop. */
  session: number;
  messages: MessageStore;
  files: Map<string, Omit<ReceivedMedia, "caption">>;
  contacts: Map<string, ContactRow>;
  chats: Set<string>;
  missed: (() => void)[];
  waiting: (() => void)[];
  /** Events are stored, but no webhook is sent. */
  silent: boolean;
  deleted: boolean;
};

export type NewInstance = {
  name: string;
  token?: string;
  number?: string;
  integration: Integration;
  settings: Partial<Settings>;
};

const PLAIN_SETTINGS: Settings = {
  rejectCall: false,
  msgCall: "",
  groupsIgnore: false,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory: false,
  wavoipToken: "",
};

export function makeInstance(from: NewInstance, at: string): Instance {
  const state = from.integration === "EVOLUTION" ? "open" : "close";
  return {
    id: uuid(),
    name: from.name,
    token: from.token || newToken(),
    number: from.number ?? null,
    integration: from.integration,
    state,
    rowState: state,
    ownerJid: null,
    profileName: null,
    profilePicUrl: null,
    disconnection: null,
    createdAt: at,
    updatedAt: at,
    settings: { ...PLAIN_SETTINGS, ...from.settings },
    settingsId: rowId(),
    webhook: null,
    qr: null,
    qrCount: 0,
    closedAs: "never connected",
    session: 0,
    messages: makeMessageStore(),
    files: new Map(),
    contacts: new Map(),
    chats: new Set(),
    missed: [],
    waiting: [],
    silent: false,
    deleted: false,
  };
}

/** Recordings 02, 04, 09b. */
export function instanceRow(instance: Instance) {
  const { settingsId, settings, createdAt, updatedAt, disconnection } = instance;
  return {
    id: instance.id,
    name: instance.name,
    connectionStatus: instance.rowState,
    ownerJid: instance.ownerJid,
    profileName: instance.profileName,
    profilePicUrl: instance.profilePicUrl,
    integration: instance.integration,
    number: instance.number,
    businessId: null,
    token: instance.token,
    clientName: "evolution_exchange",
    disconnectionReasonCode: disconnection?.code ?? null,
    disconnectionObject: disconnection?.object ?? null,
    disconnectionAt: disconnection?.at ?? null,
    createdAt,
    updatedAt,
    Chatwoot: null,
    Proxy: null,
    Rabbitmq: null,
    Nats: null,
    Sqs: null,
    Websocket: null,
    Setting: { id: settingsId, ...settings, createdAt, updatedAt: createdAt, instanceId: instance.id },
    _count: {
      Message: instance.messages.size,
      Contact: instance.contacts.size,
      Chat: instance.chats.size,
    },
  };
}

/** 1.8, from the source. */
export function oldInstanceRow(instance: Instance, serverUrl: string) {
  const owned = instance.state === "open" && {
    owner: instance.ownerJid,
    profileName: instance.profileName ?? "not loaded",
    profilePictureUrl: instance.profilePicUrl,
    profileStatus: "",
  };
  return {
    instance: {
      instanceName: instance.name,
      instanceId: instance.id,
      ...owned,
      status: instance.state,
      serverUrl,
      apikey: instance.token,
      integration: {
        integration: instance.integration,
        token: "",
        webhook_wa_business: `${serverUrl}/webhook/whatsapp/${encodeURIComponent(instance.name)}`,
      },
    },
  };
}

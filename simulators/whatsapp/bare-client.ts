import {
  type AuthenticationCreds,
  type BaileysEventMap,
  type BinaryNode,
  type ConnectionState,
  initAuthCreds,
  type MessageUserReceiptUpdate,
  makeWASocket,
  type SignalDataSet,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WAMessageUpdate,
  type WASocket,
} from "baileys";
import pino from "pino";

const silent = pino({ level: "silent" });
const PATIENCE_MS = 60_000;

export type MemoryKeys = SignalKeyStore & { data: Map<string, unknown>; writes: number };

export function memoryKeys(): MemoryKeys {
  const data = new Map<string, unknown>();
  const keys: MemoryKeys = {
    data,
    writes: 0,
    get(type, ids) {
      const found: Record<string, unknown> = {};
      for (const id of ids) {
        const value = data.get(`${type} ${id}`);
        if (value !== undefined) found[id] = value;
      }
      return found as never;
    },
    set(changes: SignalDataSet) {
      keys.writes += 1;
      for (const [type, values] of Object.entries(changes)) {
        for (const [id, value] of Object.entries(values ?? {})) {
          if (value === null || value === undefined) data.delete(`${type} ${id}`);
          else data.set(`${type} ${id}`, value);
        }
      }
    },
  };
  return keys;
}

export type DeviceStore = { creds: AuthenticationCreds; keys: MemoryKeys };
export const newDevice = (): DeviceStore => ({ creds: initAuthCreds(), keys: memoryKeys() });

export type BareClient = {
  socket: WASocket;
  store: DeviceStore;
  connection: Partial<ConnectionState>[];
  upserts: BaileysEventMap["messages.upsert"][];
  updates: WAMessageUpdate[];
  groupReceipts: MessageUserReceiptUpdate[];
  acks: BinaryNode["attrs"][];
  /** Called again after each event. */
  until<T>(find: (client: BareClient) => T | undefined | false | null | 0 | ""): Promise<T>;
  end(): void;
};

export function openBareClient(store: DeviceStore, config: Partial<UserFacingSocketConfig> = {}): BareClient {
  const socket = makeWASocket({
    auth: store,
    logger: silent,
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    shouldSyncHistoryMessage: () => false,
    ...config,
  });
  const watchers = new Set<() => void>();
  const client: BareClient = {
    socket,
    store,
    connection: [],
    upserts: [],
    updates: [],
    groupReceipts: [],
    acks: [],
    until: (find) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = find(client);
          if (!found) return;
          stop();
          resolve(found);
        };
        const timer = setTimeout(() => {
          stop();
          reject(new Error(`the client did not say it in ${PATIENCE_MS} ms: ${String(find)}`));
        }, PATIENCE_MS);
        const stop = () => {
          clearTimeout(timer);
          watchers.delete(look);
        };
        watchers.add(look);
        look();
      }),
    end: () => void socket.end(undefined),
  };
  const said = () => {
    for (const look of watchers) look();
  };
  listen(client, said);
  return client;
}

function listen(client: BareClient, said: () => void): void {
  const { ev, ws } = client.socket;
  ev.on("creds.update", (update) => {
    Object.assign(client.store.creds, update);
  });
  ev.on("connection.update", (update) => {
    client.connection.push(update);
    said();
  });
  ev.on("messages.upsert", (upsert) => {
    client.upserts.push(upsert);
    said();
  });
  ev.on("messages.update", (updates) => {
    client.updates.push(...updates);
    said();
  });
  ev.on("message-receipt.update", (updates) => {
    client.groupReceipts.push(...updates);
    said();
  });
  ws.on("CB:ack,class:message", (node: BinaryNode) => {
    client.acks.push(node.attrs);
    said();
  });
}

export type CloseReason = { code: number; message: string };

export const qrOf = (client: BareClient): Promise<string> =>
  client.until(({ connection }) => connection.findLast((update) => update.qr)?.qr);

export const whenOpen = (client: BareClient): Promise<true> =>
  client.until(({ connection }) => connection.some((update) => update.connection === "open"));

export const whenCaughtUp = (client: BareClient): Promise<true> =>
  client.until(({ connection }) => connection.some((update) => update.receivedPendingNotifications));

export const whenClosed = (client: BareClient): Promise<CloseReason> =>
  client.until(({ connection }) => {
    const closed = connection.find((update) => update.connection === "close");
    const error =
      closed && (closed.lastDisconnect?.error as { output?: { statusCode: number }; message: string });
    return closed && { code: error?.output?.statusCode ?? 0, message: error?.message ?? "" };
  });

export async function pairBareClient(
  scan: (qr: string) => Promise<unknown>,
  config: Partial<UserFacingSocketConfig> = {},
  store = newDevice(),
): Promise<BareClient> {
  const first = openBareClient(store, config);
  const qr = await qrOf(first);
  await scan(qr);
  await whenClosed(first);
  const client = openBareClient(store, config);
  await whenCaughtUp(client);
  await whenOpen(client);
  return client;
}

export const numberAddress = (phone: string): string => `${phone}@s.whatsapp.net`;

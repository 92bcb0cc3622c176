import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { Evolution } from "../../simulators/evolution/evolution.ts";
import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import type { Connection } from "../../src/contract/connections.ts";
import type { Db } from "../../src/server/db/client.ts";
import type { Client } from "../support/client.ts";
import { WAITING } from "./evolution.ts";

const LOOK_EVERY_MS = 500;
const SHOWN_MS = 6_000;

export async function linkNumber(
  call: Client,
  control: Control,
  phone: string,
  name: string,
): Promise<number> {
  await call("POST", "/api/whatsapp/connect", { deviceId: phone, connectionName: name });
  for (;;) {
    const answer = await call<{ qr: string }>("GET", `/api/whatsapp/qr/${phone}`).catch(() => null);
    if (answer) {
      await control.scan({ qr: answer.qr, phone });
      break;
    }
    await pause(100);
  }
  for (;;) {
    const { connections } = await call<{ connections: Connection[] }>("GET", "/api/connections");
    const linked = connections.find(({ deviceId, state }) => deviceId === phone && state === "connected");
    if (linked) return linked.id;
    await pause(100);
  }
}

type Worlds = { control: Control; evolution: Evolution };

type Shown = { kind: Connection["kind"]; deviceId: string; qr: string };

async function shownCodes(db: Db): Promise<Shown[]> {
  const { rows } = await sql<Shown>`select kind, device_id as "deviceId", qr from connection
    where qr_expires_at > now() and qr is not null and device_id <> ${WAITING}`.execute(db);
  return rows;
}

/**
 * Scans every code that a page shows for some seconds, so that visitors can connect invented numbers and
 * instances. Runs until the signal.
 */
export async function scanWhatIsShown(db: Db, worlds: Worlds, signal: AbortSignal): Promise<void> {
  const seen = new Map<string, number>();
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    for (const shown of await shownCodes(db).catch(() => [])) {
      const { qr, kind, deviceId } = shown;
      // A gateway renews the codes of its instances, so those are known by name.
      const code = kind === "device" ? qr : deviceId;
      const since = seen.get(code) ?? performance.now();
      seen.set(code, since);
      if (performance.now() - since < SHOWN_MS) continue;
      seen.delete(code);
      await scan(worlds, shown).catch(() => undefined);
    }
  }
}

async function scan({ control, evolution }: Worlds, { kind, deviceId, qr }: Shown): Promise<void> {
  if (kind === "device") await control.scan({ qr, phone: deviceId });
  else await evolution.world.scan(deviceId.replace(/@\d+$/, ""), {});
}

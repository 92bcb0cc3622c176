import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "../../src/contract/connections.ts";
import type { Control } from "../../src/simulator/control-answers.ts";
import type { Client } from "../support/client.ts";

const LOOK_EVERY_MS = 500;
/** Long enough to see the code on the screen. */
const SHOWN_MS = 6_000;

/** Connects a number through the public interface, as the spec's provider does, and lets its simulated owner scan the code. */
export async function linkNumber(call: Client, control: Control, phone: string, name: string): Promise<void> {
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
    const { status } = await call<{ status: string }>("GET", `/api/whatsapp/status/${phone}`);
    if (status === "connected") return;
    await pause(100);
  }
}

/**
 * Scans whatever code the page shows for some seconds, with the telephone of the number it is for: so visitors can connect numbers
 * of their own invention. Runs until the signal.
 */
export async function scanWhatIsShown(call: Client, control: Control, signal: AbortSignal): Promise<void> {
  const seen = new Map<string, number>();
  while (!signal.aborted) {
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    const shown = await call<{ connections: Connection[] }>("GET", "/api/connections").catch(() => null);
    for (const { qr, deviceId } of shown?.connections ?? []) {
      if (qr === null) continue;
      const since = seen.get(qr) ?? performance.now();
      seen.set(qr, since);
      if (performance.now() - since >= SHOWN_MS)
        await control.scan({ qr, phone: deviceId }).catch(() => undefined);
    }
  }
}

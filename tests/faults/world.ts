import type { Control } from "../../src/simulator/control-answers.ts";
import { startLocalSimulator } from "../../src/simulator/local.ts";
import { type Installation, openInstallation, until } from "./installation.ts";

/** Waiting times of the product under fault runs: a lost acknowledgement is waited for 3 s instead of 60. */
const TIME_SCALE = "0.05";
export const DEVICE = "5511940000001";
/** The numbers of the lists that are sent to begin here. */
export const PHONES = 5_511_960_000_000;

/** An installation, its WhatsApp, and a number that is linked. */
export type World = Installation & { control: Control };

/** The product and a simulated WhatsApp, which outlives each kill of the product. */
export async function openWorld(): Promise<World> {
  const simulator = await startLocalSimulator({});
  const installation = await openInstallation(
    { RECADO_SIMULATOR: simulator.controlUrl, RECADO_TIME_SCALE: TIME_SCALE },
    ["src/simulator/preload.ts"],
  );
  const world: World = {
    ...installation,
    control: simulator.control,
    async close() {
      await installation.close();
      await simulator.stop();
    },
  };
  await linkDevice(world);
  return world;
}

/** Pairs the number by its QR code, as a person with the phone does. */
export async function linkDevice(world: Pick<World, "call" | "control">): Promise<void> {
  await world.call("POST", "/api/whatsapp/connect", { deviceId: DEVICE, connectionName: "Matriz" });
  const { qr } = await until("a QR code", () =>
    world.call<{ qr: string }>("GET", `/api/whatsapp/qr/${DEVICE}`).catch(() => null),
  );
  await world.control.scan({ qr, phone: DEVICE });
  await until("a connected number", async () => {
    const { status } = await world.call<{ status: string }>("GET", `/api/whatsapp/status/${DEVICE}`);
    return status === "connected";
  });
}

import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import { type Installation, openInstallation, until } from "./installation.ts";

export const TIME_SCALE = "0.05";
export const DEVICE = "5511940000001";
export const PHONES = 5_511_960_000_000;

export type World = Installation & { control: Control };

type Options = { timeScale?: string; databaseUrl?: string };

/** Without `databaseUrl` the product has its embedded database, which takes longer to start. */
export async function openWorld({ timeScale = TIME_SCALE, databaseUrl }: Options = {}): Promise<World> {
  const simulator = await startLocalSimulator({});
  const installation = await openInstallation(
    { RECADO_SIMULATOR: simulator.controlUrl, RECADO_TIME_SCALE: timeScale },
    ["simulators/whatsapp/preload.ts"],
    databaseUrl === undefined ? null : { through: databaseUrl, direct: databaseUrl },
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

export const linkDevice = (world: Pick<World, "call" | "control">): Promise<void> =>
  pairDevice(world, DEVICE, "Matriz");

export async function pairDevice(
  { call, control }: Pick<World, "call" | "control">,
  number: string,
  connectionName: string,
): Promise<void> {
  await call("POST", "/api/whatsapp/connect", { deviceId: number, connectionName });
  const { qr } = await until("a QR code", () =>
    call<{ qr: string }>("GET", `/api/whatsapp/qr/${number}`).catch(() => null),
  );
  await control.scan({ qr, phone: number });
  await until("a connected number", async () => {
    const { status } = await call<{ status: string }>("GET", `/api/whatsapp/status/${number}`);
    return status === "connected";
  });
}

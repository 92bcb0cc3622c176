import { controlOf } from "./control.ts";
import type { Control } from "./control-answers.ts";
import { serveControl } from "./control-server.ts";
import { type Simulator, type SimulatorOptions, startSimulator } from "./simulator.ts";

export type LocalSimulator = Simulator & {
  control: Control;
  /** Value of RECADO_SIMULATOR for a product under test. */
  controlUrl: string;
};

export async function startLocalSimulator(
  options: SimulatorOptions & { controlPort?: number; onShutdown?: () => void } = {},
): Promise<LocalSimulator> {
  const simulator = await startSimulator(options);
  const control = controlOf(simulator, () => options.onShutdown?.());
  const server = await serveControl(control, options.controlPort ?? 0);
  return {
    ...simulator,
    control,
    controlUrl: server.url,
    async stop() {
      await simulator.stop();
      await server.stop();
    },
  };
}

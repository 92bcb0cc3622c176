import type { Campaign } from "../../src/contract/campaigns.ts";
import { startLocalSimulator } from "../../src/simulator/local.ts";
import { clientOf } from "../support/client.ts";
import { freePortNear } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { createCampaigns } from "./campaigns.ts";
import { settlePeople } from "./crowd.ts";
import { importLists } from "./lists.ts";
import { linkNumber, scanWhatIsShown } from "./phones.ts";

export const ACCOUNT = {
  name: "Ótica Horizonte",
  email: "marina@exemplo.com.br",
  password: "girassol no quintal",
};
const NUMBER = "5531907773055";

export type Stage = {
  product: ProductServer;
  /** Fills it; `done` hears of each step. Answers the campaign that is running then. */
  fill(done: (step: string) => void): Promise<Campaign>;
  close(): Promise<void>;
};

/** The product on fresh data with a WhatsApp of its own, on this port when it is free. */
export async function openStage(wantedPort: number): Promise<Stage> {
  const simulator = await startLocalSimulator();
  const ended = new AbortController();
  const port = await freePortNear(wantedPort);
  const product = await startProduct({
    port,
    preload: ["src/simulator/preload.ts"],
    env: { RECADO_SIMULATOR: simulator.controlUrl },
  }).catch(async (error: unknown) => {
    await simulator.stop();
    throw error;
  });
  const call = clientOf(product.url);
  const { control } = simulator;
  return {
    product,
    async fill(done) {
      const { password } = ACCOUNT;
      const consent = { confirmPassword: password, acceptTerms: true, timeZone: "America/Sao_Paulo" };
      await call("POST", "/api/signup", { ...ACCOUNT, ...consent });
      await linkNumber(call, control, NUMBER, "Matriz – Centro");
      done("número conectado");
      const lists = await importLists(call);
      done("3 listas importadas");
      await settlePeople(control, lists);
      const running = await createCampaigns(call, lists);
      done("6 campanhas criadas");
      void scanWhatIsShown(call, control, ended.signal);
      return running;
    },
    async close() {
      ended.abort();
      await product.close();
      await simulator.stop();
    },
  };
}

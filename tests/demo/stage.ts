import { startLocalSimulator } from "../../simulators/whatsapp/local.ts";
import type { Campaign } from "../../src/contract/campaigns.ts";
import { productRows } from "../e2e/support/product-rows.ts";
import { type Client, clientOf } from "../support/client.ts";
import { freePortNear } from "../support/ports.ts";
import { type ProductServer, startProduct } from "../support/server.ts";
import { linkAgent, startAssistant } from "./assistant.ts";
import { createAtInstance, createCampaigns, createRunning, sendTest } from "./campaigns.ts";
import { settlePeople } from "./crowd.ts";
import { addGateway, settleGatewayPeople, startGateway } from "./evolution.ts";
import { type DemoLists, importLists } from "./lists.ts";
import { linkNumber, scanWhatIsShown } from "./phones.ts";
import { goOnWriting, talkAtDevice, talkAtInstance } from "./talks.ts";

export const ACCOUNT = {
  name: "Ótica Horizonte",
  email: "marina@exemplo.com.br",
  password: "girassol no quintal",
};
const NUMBER = "5531907773055";

export type Stage = {
  product: ProductServer;
  fill(done: (step: string) => void): Promise<Campaign>;
  close(): Promise<void>;
};

async function openWorlds() {
  const simulator = await startLocalSimulator();
  const evolution = await startGateway();
  const mistral = await startAssistant();
  return {
    control: simulator.control,
    evolution,
    mistral,
    env: {
      RECADO_SIMULATOR: simulator.controlUrl,
      RECADO_MISTRAL_URL: mistral.url,
      RECADO_PRIVATE_HOSTS: `gateway:${new URL(evolution.url).host}`,
    },
    async close() {
      await evolution.close();
      await mistral.stop();
      await simulator.stop();
    },
  };
}

export async function openStage(wantedPort: number): Promise<Stage> {
  const worlds = await openWorlds();
  const ended = new AbortController();
  const port = await freePortNear(wantedPort);
  const product = await startProduct({
    port,
    preload: ["simulators/whatsapp/preload.ts"],
    env: worlds.env,
  }).catch(async (error: unknown) => {
    await worlds.close();
    throw error;
  });
  const rows = await productRows(product);
  const call = clientOf(product.url);
  return {
    product,
    async fill(done) {
      const { password } = ACCOUNT;
      const consent = { confirmPassword: password, acceptTerms: true, timeZone: "America/Sao_Paulo" };
      await call("POST", "/api/signup", { ...ACCOUNT, ...consent });
      const { running, lists } = await play(call, worlds, done);
      void scanWhatIsShown(rows.db, worlds, ended.signal);
      void goOnWriting(worlds.evolution, lists.savassi.people.slice(10), ended.signal);
      return running;
    },
    async close() {
      ended.abort();
      await rows.close();
      await product.close();
      await worlds.close();
    },
  };
}

type Worlds = Awaited<ReturnType<typeof openWorlds>>;

async function play(
  call: Client,
  { control, evolution }: Worlds,
  done: (step: string) => void,
): Promise<{ running: Campaign; lists: DemoLists }> {
  const device = await linkNumber(call, control, NUMBER, "Matriz – Centro");
  done("número conectado");
  const lists = await importLists(call);
  done("3 listas importadas");
  await settlePeople(control, lists);
  await sendTest(call, NUMBER);
  await createCampaigns(call, lists);
  const instance = await addGateway(call, evolution);
  done("servidor Evolution com 2 instâncias");
  const { savassi, ready } = lists;
  const writers = [...ready.people.slice(0, 2), ...savassi.people.slice(5, 6)];
  await talkAtDevice(call, { control, number: NUMBER, connectionId: device }, writers);
  settleGatewayPeople(evolution, savassi.people);
  await createAtInstance(call, lists, instance);
  await linkAgent(call, instance);
  await talkAtInstance(call, evolution, instance, savassi.people.slice(0, 2));
  done("conversas, um robô que responde e uma pessoa que pediu para sair");
  const running = await createRunning(call, lists);
  done("7 campanhas criadas");
  return { running, lists };
}

import { test as base } from "@playwright/test";
import { type Evolution, startEvolution } from "../../../simulators/evolution/evolution.ts";
import { type MailServer, startMailServer } from "../../../simulators/mail/smtp-server.ts";
import { type MistralStandIn, startMistral } from "../../../simulators/mistral/stand-in.ts";
import { type LocalSimulator, startLocalSimulator } from "../../../simulators/whatsapp/local.ts";
import { quietSignal } from "../../../simulators/whatsapp/quiet-signal.ts";
import type { Db } from "../../../src/server/db/client.ts";
import { freePort } from "../../support/ports.ts";
import { type ProductServer, type ServerOptions, startProduct } from "../../support/server.ts";
import { productRows } from "./product-rows.ts";

type Simulators = {
  whatsapp: LocalSimulator;
  evolution: Evolution;
  mistral: MistralStandIn;
  mail: MailServer;
};

/** Of the running test, with nothing from earlier ones. */
type OfTest = Omit<Simulators, "evolution">;

type OfWorker = { simulators: Simulators; product: ProductServer; db: Db };

type SetUp = (simulators: Simulators, url: string) => ServerOptions;

async function startSimulators() {
  quietSignal();
  return {
    whatsapp: await startLocalSimulator(),
    // A real server answers seconds after its first events about a new instance.
    evolution: await startEvolution({ timing: { createMs: 400 } }),
    mistral: await startMistral(),
    mail: await startMailServer(),
  };
}

const withSimulators: SetUp = ({ whatsapp, evolution, mistral, mail }, url) => ({
  preload: ["simulators/whatsapp/preload.ts"],
  env: {
    RECADO_SIMULATOR: whatsapp.controlUrl,
    RECADO_PRIVATE_HOSTS: [new URL(evolution.url).host, mistral.host].join(),
    RECADO_MISTRAL_URL: mistral.url,
    RECADO_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    RECADO_MAIL_FROM: "Recado <recado@exemplo.com.br>",
    RECADO_MAIL_FOR: "all",
    RECADO_URL: url,
    RECADO_SIGNUP: "open",
  },
});

async function startAs(setUp: SetUp, simulators: Simulators): Promise<ProductServer> {
  const port = await freePort();
  return startProduct({ port, ...setUp(simulators, `http://127.0.0.1:${port}`) });
}

/**
 * One product a worker, with all that it speaks to: accounts keep tests apart, and what concerns the whole
 * installation needs `productAs`.
 */
export const test = base.extend<OfTest, OfWorker>({
  simulators: [
    async ({ playwright: _ }, use) => {
      const started = await startSimulators();
      await use(started);
      await started.whatsapp.stop();
      await started.evolution.close();
      await started.mistral.stop();
      await started.mail.close();
    },
    { scope: "worker" },
  ],
  product: [
    async ({ simulators }, use) => {
      const product = await startAs(withSimulators, simulators);
      await use(product);
      await product.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  db: [
    async ({ product }, use) => {
      const rows = await productRows(product);
      await use(rows.db);
      await rows.close();
    },
    { scope: "worker" },
  ],
  baseURL: ({ product }, use) => use(product.url),
  whatsapp: async ({ simulators: { whatsapp } }, use) => {
    await use(whatsapp);
    await whatsapp.control.reset({});
  },
  mistral: async ({ simulators: { mistral } }, use) => {
    mistral.reset();
    await use(mistral);
  },
  mail: ({ simulators: { mail } }, use) => use(mail),
});

/** For a file whose tests need another set-up of the product, in a worker of its own. */
export const productAs = (setUp: SetUp) =>
  test.extend<Pick<OfTest, never>, Pick<OfWorker, "product">>({
    product: [
      async ({ simulators }, use) => {
        const product = await startAs(setUp, simulators);
        await use(product);
        await product.close();
      },
      { scope: "worker", timeout: 180_000 },
    ],
  });

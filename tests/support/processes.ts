import { type Client, clientOf } from "./client.ts";
import { freePort } from "./ports.ts";
import { type ProductServer, startProduct } from "./server.ts";

const ORIGIN = "http://recado.test";

export type Part = "all" | "web" | "worker";

export type Processes = {
  servers: ProductServer[];
  at(server: ProductServer): Client;
  headers(): Record<string, string>;
  signUp(server: ProductServer): Promise<void>;
  close(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  dataFolder: string;
  parts: readonly Part[];
  hooksAt?: number;
  env?: Record<string, string>;
  preload?: string[];
};

export const SIGN_UP = {
  name: "Ótica Horizonte",
  email: "marina@exemplo.com.br",
  acceptTerms: true,
  password: "girassol no quintal",
  confirmPassword: "girassol no quintal",
  timeZone: "America/Sao_Paulo",
};

export async function startProcesses(options: Options): Promise<Processes> {
  const { databaseUrl, dataFolder, parts, hooksAt = 0, env, preload = [] } = options;
  const ports: number[] = [];
  while (ports.length < parts.length) ports.push(await freePort());
  const started = await Promise.allSettled(
    parts.map((part, nth) =>
      startProduct({
        databaseUrl,
        dataFolder,
        preload,
        port: ports[nth] ?? 0,
        env: {
          RECADO_PROCESS: part,
          RECADO_URL: ORIGIN,
          RECADO_SIGNUP: "open",
          RECADO_WEBHOOK_URL: `http://127.0.0.1:${ports[hooksAt]}`,
          ...env,
        },
      }),
    ),
  );
  const servers = started.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const failed = started.find((one) => one.status === "rejected");
  if (failed?.status === "rejected") {
    await close();
    throw failed.reason;
  }
  const cookie = { value: "" };
  const at = (server: ProductServer) => clientOf(server.url, { origin: ORIGIN, cookie });
  return {
    servers,
    at,
    headers: () => ({ origin: ORIGIN, cookie: cookie.value }),
    async signUp(server) {
      await at(server)("POST", "/api/signup", SIGN_UP);
    },
    close,
  };
}

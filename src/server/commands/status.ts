import fs from "node:fs/promises";
import { sql } from "kysely";
import { type LastBackup, readLastBackup } from "../backup/last-backup.ts";
import { sqlState } from "../db/errors.ts";
import { LATEST_MIGRATION } from "../db/migrate.ts";
import { readRestoreLock } from "../db/restore-lock.ts";
import { readFigures } from "../metrics/figures-repo.ts";
import { type RawStorage, readVersion } from "../postgres/storage.ts";

const number = new Intl.NumberFormat("pt-BR", { maximumFractionDigits: 1 });
const size = (bytes: number) =>
  bytes < 1e9 ? `${number.format(bytes / 1e6)} MB` : `${number.format(bytes / 1e9)} GB`;

const UNDEFINED_TABLE = "42P01";

type Server = { version: string; bytes: number; schema: string | null };

export async function statusLines(
  storage: Pick<RawStorage, "database" | "kind" | "dataFolder">,
): Promise<string[]> {
  const { db } = storage.database;
  const backup = readLastBackup(storage.dataFolder);
  const [server, figures, hold, disk] = await Promise.all([
    sql<Server>`select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      ${LATEST_MIGRATION} as schema`.execute(db),
    readFigures(db).catch(nullBeforeStart),
    readRestoreLock(db),
    fs.statfs(storage.dataFolder),
  ]);
  const database = server.rows[0];
  const kind = storage.kind === "embedded" ? "próprio" : "externo";
  return [
    `Versão: Recado ${readVersion()}, Node ${process.version}, esquema ${database?.schema ?? "–"}`,
    `Banco de dados: ${kind}, PostgreSQL ${database?.version}, ${size(database?.bytes ?? 0)}`,
    `Disco livre em ${storage.dataFolder}: ${size(disk.bavail * disk.bsize)}`,
    ...(figures ? running(figures) : ["Processos que trabalham: 0 (o Recado ainda não foi iniciado)"]),
    `Última cópia: ${backup ? copy(backup) : "nenhuma feita daqui"}`,
    hold
      ? `Retida: sim, restaurada em ${hold.restoredAt} de uma cópia de ${hold.madeAt}; libere com npm run restore -- --release`
      : "Retida: não",
  ];
}

function nullBeforeStart(error: unknown): null {
  if (sqlState(error) !== UNDEFINED_TABLE) throw error;
  return null;
}

const copy = ({ madeAt, bytes }: LastBackup) => `${madeAt}, ${size(bytes)}`;

function running(figures: NonNullable<Awaited<ReturnType<typeof readFigures>>>): string[] {
  const { campaigns, connections, webhooks, jobs } = figures;
  const states = connections.map(({ state, n }) => `${n} ${inWords(STATES, state, n)}`).join(", ");
  const lives = campaigns.filter(({ n }) => n > 0);
  const shown = lives.map(
    ({ life, n, people }) =>
      `${n} ${inWords(LIVES, life, n)} (${number.format(people)} ${people === 1 ? "pessoa" : "pessoas"} à espera)`,
  );
  const failed = jobs.reduce((sum, job) => sum + job.failed, 0);
  return [
    `Processos que trabalham: ${figures.workers}${figures.workers === 0 ? " (nada é enviado)" : ""}`,
    `Conexões: ${states || "nenhuma"}`,
    `Campanhas: ${shown.join(", ") || "nenhuma em curso"}`,
    `Webhooks à espera: ${webhooks.waiting}${webhooks.waiting > 0 ? `, o mais antigo há ${Math.round(webhooks.oldestSeconds)} s` : ""}`,
    `Mensagens avulsas à espera: ${figures.outbox}; e-mails: ${figures.mail}; trabalhos que falharam: ${failed}`,
  ];
}

type Words = Readonly<Record<string, readonly [one: string, several: string]>>;

const STATES: Words = {
  connected: ["conectada", "conectadas"],
  connecting: ["conectando", "conectando"],
  pending: ["aguardando conexão", "aguardando conexão"],
  disconnected: ["desconectada", "desconectadas"],
};
const LIVES: Words = {
  scheduled: ["agendada", "agendadas"],
  starting: ["começando", "começando"],
  sending: ["em andamento", "em andamento"],
  paused: ["pausada", "pausadas"],
};

const inWords = (words: Words, state: string, n: number) => words[state]?.[n === 1 ? 0 : 1] ?? state;

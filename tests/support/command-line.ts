import { type ParseArgsConfig, parseArgs } from "node:util";

export function commandLine<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).includes("--help")) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return refuse(`${error.message}\n${usage}`);
  }
}

export function numberOf<Name extends string>(
  values: Readonly<Partial<Record<NoInfer<Name>, string | boolean>>>,
  name: Name,
  least: number,
): number | null {
  const given = values[name];
  if (given === undefined) return null;
  const number = Number(given);
  return given !== "" && number >= least ? number : refuse(`--${name} is a number, ${least} or more`);
}

export function refuse(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

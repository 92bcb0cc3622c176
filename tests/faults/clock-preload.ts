// Preloaded in fault runs: shifts the wall clock; timers go on.
const Real = Date;
let shiftMs = Number(process.env.RECADO_TEST_CLOCK ?? 0);
const now = () => Real.now() + shiftMs;

globalThis.Date = new Proxy(Real, {
  construct: (date, args, made) => Reflect.construct(date, args.length === 0 ? [now()] : args, made),
  apply: () => new Real(now()).toString(),
  get: (date, name) => (name === "now" ? now : Reflect.get(date, name)),
});

process.on("message", (text) => {
  const shift = /^clock (-?\d+)$/.exec(String(text))?.[1];
  if (shift === undefined) return;
  shiftMs = Number(shift);
  process.send?.("set");
});

/** Addresses of the page's screens: the router serves these, and the server answers 404 for others. */
export const SCREENS = [
  "/login",
  "/signup",
  "/esqueci-a-senha",
  "/nova-senha",
  "/confirmar-email",
  "/termos",
  "/descadastrar/$token",
  "/",
  "/campaigns",
  "/campaigns/calendar",
  "/campaigns/new",
  "/contacts",
  "/contacts/pessoas",
  "/contacts/pessoas/$personId",
  "/baileys",
  "/whatsapp/connect",
  "/whatsapp/connections",
  "/whatsapp/connections/$connectionId",
  "/chat",
  "/mensagens",
  "/instances",
  "/chatbot",
  "/chatbot/$agentId",
  "/criar-robo",
  "/settings",
] as const;

const PARTS = SCREENS.map(partsOf);

/** Whether the path is a screen's; a `$name` stands for any text. */
export function isScreen(path: string): boolean {
  const parts = partsOf(path);
  return PARTS.some(
    (screen) =>
      screen.length === parts.length &&
      screen.every((part, at) => part === parts[at] || (part.startsWith("$") && parts[at] !== "")),
  );
}

/** Without slashes at the end; a pattern would search from each of thousands of slashes. */
function partsOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(0, parts.findLastIndex((part) => part !== "") + 1);
}

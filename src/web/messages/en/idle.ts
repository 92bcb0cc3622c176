import type { idleText as portuguese } from "../idle.ts";
import type { Texts } from "../texts.ts";

export const idleText: Texts<typeof portuguese> = {
  label: "Nothing is sent",
  fact: "Nothing is sent now: the sending process of this installation is not running.",
  after:
    "Campaigns and messages wait, and no one is lost. What the screens say of connections and campaigns is what was known last; what arrives on WhatsApp appears once it is back.",
  next: "The administrator starts that process (RECADO_PROCESS=worker); everything goes on by itself.",
};

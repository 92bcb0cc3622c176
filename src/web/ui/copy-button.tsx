import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { errorTextOf } from "../api/api-error.ts";
import { commonText } from "../messages/common.ts";
import { Button } from "./button.tsx";
import layoutStyles from "./layout.module.css";
import { toastFailed } from "./toast.tsx";

const CONFIRMED_MS = 1500;

type Props = {
  text: string | (() => string | Promise<string>);
  label?: string;
};

export function CopyButton({ text, label = commonText.copy }: Props) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      small
      icon={copied ? Check : Copy}
      onClick={async (event) => {
        const button = event.currentTarget;
        try {
          const whole = typeof text === "string" ? text : await text();
          if (await copyText(whole, button)) setCopied(true);
          else toastFailed(commonText.copyFailed);
        } catch (error) {
          toastFailed(errorTextOf(error, commonText.copyFailed));
        }
      }}
    >
      <span aria-live="polite">{copied ? commonText.copied : label}</span>
    </Button>
  );
}

/** `near` must be in the same dialog, else its focus trap takes the selection away. */
async function copyText(text: string, near: HTMLElement): Promise<boolean> {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused by the browser: the old way may still work.
    }
  }
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = layoutStyles.srOnly ?? "";
  near.after(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  near.focus();
  return done;
}

import { clsx } from "clsx";
import { Bot, Check, CirclePause } from "lucide-react";
import type { AssistantLink } from "../../contract/agents.ts";
import { useForm, useStored } from "../forms/use-form.ts";
import { assistantText as t } from "../messages/assistant.ts";
import avatarStyles from "../ui/avatar.module.css";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextInput } from "../ui/inputs.tsx";
import layoutStyles from "../ui/layout.module.css";
import pageStyles from "../ui/page.module.css";
import textStyles from "../ui/text.module.css";
import { type MarkUnsaved, useMark } from "../ui/use-unsaved.tsx";
import styles from "./assistant.module.css";
import { readPauseMinutes } from "./pause-minutes.ts";
import type { useAssistant } from "./use-assistant.ts";

type Props = { link: AssistantLink; assistant: ReturnType<typeof useAssistant>; mark: MarkUnsaved };

export function LinkedAgent({ link, assistant, mark }: Props) {
  const { agents, busy, setActive, remove, isFetching, error } = assistant;
  const agent = agents.find(({ id }) => id === link.agentId);
  const missing = !agent && !error && !isFetching;
  return (
    <section className={clsx(layoutStyles.stack4, styles.linkedAgent)} aria-label={link.agentName}>
      <div className={styles.top}>
        <span className={clsx(avatarStyles.avatar, !link.active && avatarStyles.grey)} data-ui="avatar">
          <Icon of={Bot} />
        </span>
        <div className={layoutStyles.grow}>
          <b>{agent?.name ?? link.agentName}</b>
          {missing && <p className={clsx(textStyles.small, textStyles.danger)}>{t.missing}</p>}
          {agent && (
            <p className={clsx(textStyles.lines, textStyles.small, textStyles.secondary)}>
              {agent.instructions || t.noInstructions}
            </p>
          )}
          {agent && <p className={textStyles.quiet}>{t.model(agent.model)}</p>}
        </div>
        <Badge tone={link.active ? "success" : "quiet"} icon={link.active ? Check : CirclePause}>
          {link.active ? t.active : t.inactive}
        </Badge>
      </div>
      <div className={pageStyles.actions} data-ui="actions">
        <Button
          small
          busy={busy === "active"}
          disabled={busy !== null}
          onClick={() => setActive(!link.active, link)}
        >
          {link.active ? t.deactivate : t.activate}
        </Button>
        <Button small look="quiet-danger" busy={busy === "remove"} disabled={busy !== null} onClick={remove}>
          {t.remove}
        </Button>
      </div>
      <PauseForm assistant={assistant} mark={mark} minutes={link.pauseMinutes} />
    </section>
  );
}

type PauseProps = Pick<Props, "assistant" | "mark"> & { minutes: number };

function PauseForm({ assistant: { busy, setPause }, mark, minutes }: PauseProps) {
  const form = useForm({
    initial: { pauseMinutes: String(minutes) },
    validate: ({ pauseMinutes }) => ({
      pauseMinutes: readPauseMinutes(pauseMinutes) === null ? t.pauseInvalid : null,
    }),
    submit: async ({ pauseMinutes }) => setPause(readPauseMinutes(pauseMinutes) ?? 0),
  });
  useStored(form, minutes, (stored) => ({ pauseMinutes: String(stored) }));
  useMark(mark, "pause", form.values.pauseMinutes !== String(minutes));
  return (
    <form {...form.formProps}>
      <div className={clsx(layoutStyles.stack3, styles.pause)}>
        <TextInput
          label={t.pause}
          inputMode="numeric"
          autoComplete="off"
          data-ui="num"
          suffix={t.pauseUnit}
          hint={t.pauseHint}
          {...form.text("pauseMinutes")}
        />
        <Button type="submit" busy={busy === "pause"} disabled={busy !== null}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}

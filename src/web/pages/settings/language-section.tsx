import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { LANGUAGES, setLanguage } from "../../api/language.ts";
import { LANGUAGE } from "../../messages/locale.ts";
import { settingsText } from "../../messages/settings.ts";
import { SectionCard } from "../../ui/card.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";

const t = settingsText.language;

const OPTIONS = LANGUAGES.map(({ id, name }) => ({ value: id, label: name }));

/** Reloads: each language is a separate build. */
export function LanguageSection() {
  const [wanted, setWanted] = useState(LANGUAGE);
  const [error, setError] = useState<unknown>(null);
  const choose = async (id: string) => {
    const language = LANGUAGES.find((each) => each.id === id)?.id ?? LANGUAGE;
    setWanted(language);
    setError(null);
    try {
      await setLanguage(language);
    } catch (thrown) {
      setWanted(LANGUAGE);
      setError(thrown);
    }
  };
  return (
    <SectionCard title={t.title} explained={t.explained}>
      {error !== null && <SmallError title={t.failed} text={errorTextOf(error, "")} />}
      <Select
        label={t.label}
        options={OPTIONS}
        value={wanted}
        disabled={wanted !== LANGUAGE}
        onChange={(event) => choose(event.target.value)}
      />
    </SectionCard>
  );
}

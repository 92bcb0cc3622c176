import { useUnsaved } from "../../ui/use-unsaved.tsx";
import { DataSection } from "./data-section.tsx";
import { LanguageSection } from "./language-section.tsx";
import { LeavingSection } from "./leaving-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { RemoveSection } from "./remove-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { StepsSection } from "./steps-section.tsx";
import { UndoTimeSection } from "./undo-time-section.tsx";
import { WeeklyLimitSection } from "./weekly-limit-section.tsx";

export function GeneralTab() {
  const unsaved = useUnsaved();
  return (
    <>
      <ProfileSection mark={unsaved.mark} />
      <LanguageSection />
      <PasswordSection mark={unsaved.mark} />
      <WeeklyLimitSection />
      <UndoTimeSection />
      <LeavingSection mark={unsaved.mark} />
      <SessionsSection />
      <StepsSection />
      <DataSection />
      <RemoveSection />
      {unsaved.question}
    </>
  );
}

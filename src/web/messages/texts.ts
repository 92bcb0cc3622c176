/**
 * What a catalogue looks like in any language: the same keys, any words, and functions of the same figures. A catalogue in English is
 * `Texts<typeof …>` of the Portuguese one, so that a missing or misspelt text does not compile.
 */
export type Texts<T> = T extends string
  ? string
  : T extends (...figures: infer Figures) => infer Said
    ? (...figures: Figures) => Texts<Said>
    : { [Key in keyof T]: Texts<T[Key]> };

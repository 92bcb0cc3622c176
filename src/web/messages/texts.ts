/**
 * Shape of a catalogue in any language: same keys, same function parameters. A missing or misspelt text does
 * not compile.
 */
export type Texts<T> = T extends string
  ? string
  : T extends (...figures: infer Figures) => infer Said
    ? (...figures: Figures) => Texts<Said>
    : { [Key in keyof T]: Texts<T[Key]> };

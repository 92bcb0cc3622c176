/**
 * A reason not to start, in words for the person who runs the server. It is printed alone, without a stack: it is not a
 * fault of the program. The words are Portuguese, as everything that the product says to people.
 */
export class StartFault extends Error {
  constructor(text: string) {
    super(text);
    this.name = "StartFault";
  }
}

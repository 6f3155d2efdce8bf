/** What the terminal shows of a text: Bun's functions are ports of these. */
import sliceAnsi from "slice-ansi";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

export { sliceAnsi, stringWidth, wrapAnsi };

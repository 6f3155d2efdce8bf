/** A bundle of its own, loaded when a program is run: in theirs, every command of people would read it at its start. */
export { execa } from "execa";

import { isOnPath } from "../../files/on-path.ts";
import { shellWord } from "../../install/shell-word.ts";
import type { Services } from "../run/event.ts";

/** `ccg` as the user can type it in a terminal, which may find it on its PATH. */
export const userCommand = ({ launcher, env }: Pick<Services, "launcher" | "env">): string =>
	isOnPath("ccg", launcher, env.PATH ?? "") ? "ccg" : shellWord(launcher);

import { dirname, join } from "node:path";
import { readText } from "../../store/json-file.ts";
import type { Io } from "../support/io.ts";
import { asTyped } from "../support/own-name.ts";

export function skill(pathOnly: boolean | undefined, io: Io): void {
	const path = join(dirname(dirname(io.launcher)), "skills", "context-guardian", "SKILL.md");
	const text = readText(path);
	if (text === null) throw new Error(`${path} could not be read; reinstall ccg`);
	io.out(pathOnly ? path : asTyped(text.trimEnd(), io));
}

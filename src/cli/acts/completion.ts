import type { Command } from "commander";
import { listProfiles } from "../../store/config/profile-file.ts";
import { storeOf } from "../../store/session/chosen-store.ts";
import { listSessions } from "../../store/session/session-snapshot.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { placesOf } from "../completion/places.ts";
import { zshScript } from "../completion/zsh.ts";
import type { Io } from "../support/io.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
export type Shell = keyof typeof SCRIPTS;

/** The script of a shell, made from the program's own commands and options. */
export const script = (shell: Shell, program: Command): string => SCRIPTS[shell](placesOf(program)).trimEnd();

const NAMES = {
	sessions: (io: Io) => listSessions(storeOf(io).root),
	profiles: async (io: Io) => (await listProfiles(storeOf(io).root)).map(({ name }) => name),
};
export type NameKind = keyof typeof NAMES;

/** What the scripts ask for. A shell that completes shows no failure: there is then nothing to choose from. */
export async function tellNames(kind: NameKind, io: Io): Promise<void> {
	try {
		for (const name of await NAMES[kind](io)) io.out(name);
	} catch {
		// nothing to choose from
	}
}

import type { Command } from "commander";
import type { Io } from "../support/io.ts";
import { registerApprovals } from "./approvals.ts";
import { registerCheckpoint } from "./checkpoint.ts";
import { registerCompletion } from "./completion.ts";
import { registerDemo } from "./demo.ts";
import { registerDoctor } from "./doctor.ts";
import { registerEnv } from "./env.ts";
import { registerGc } from "./gc.ts";
import { registerHandoff } from "./handoff.ts";
import { registerInstall } from "./install.ts";
import { registerMcp } from "./mcp.ts";
import { registerMemory } from "./memory.ts";
import { registerProfile } from "./profile.ts";
import { registerRecall } from "./recall.ts";
import { registerReport } from "./report.ts";
import { registerSearch } from "./search.ts";
import { registerSessions } from "./sessions.ts";
import { registerSetup } from "./setup.ts";
import { registerShow } from "./show.ts";
import { registerStatus } from "./status.ts";
import { registerStatusline } from "./statusline.ts";
import { registerTask } from "./task.ts";
import { registerUninstall } from "./uninstall.ts";
import { registerUpdate } from "./update.ts";

/** Every command of ccg, in the order in which the help lists them. */
export function registerAll(program: Command, io: Io): void {
	program.addHelpText("after", HELP);
	registerInstall(program, io);
	registerUninstall(program, io);
	registerUpdate(program, io);
	registerSetup(program, io);
	registerStatus(program, io);
	registerStatusline(program, io);
	registerMemory(program, io);
	registerRecall(program, io);
	registerSearch(program, io);
	registerMcp(program);
	registerDoctor(program, io);
	registerDemo(program, io);
	registerCheckpoint(program, io);
	registerHandoff(program, io);
	registerShow(program, io);
	registerReport(program, io);
	registerSessions(program, io);
	registerApprovals(program, io);
	registerEnv(program, io);
	registerProfile(program, io);
	registerTask(program, io);
	registerGc(program, io);
	registerCompletion(program, io);
}

const HELP = `
Examples:
  ccg demo
  ccg install --dry-run
  ccg status --json

In a session of Claude Code a command keeps to the session's project: ccg --anyway COMMAND reaches beyond it.`;

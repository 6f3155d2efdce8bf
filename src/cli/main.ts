import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { onStoreProblem } from "../store/problems.ts";
import { registerApprovals } from "./approvals.ts";
import { registerDemo } from "./demo.ts";
import { registerDoctor } from "./doctor.ts";
import { registerEnv } from "./env.ts";
import { registerGc } from "./gc.ts";
import { registerInstall } from "./install.ts";
import { processIo } from "./io.ts";
import { registerMemory } from "./memory.ts";
import { registerProfile } from "./profile.ts";
import { registerReport } from "./report.ts";
import { registerSessions } from "./sessions.ts";
import { registerShow } from "./show.ts";
import { registerStatus } from "./status.ts";
import { registerTask } from "./task.ts";
import { registerUninstall } from "./uninstall.ts";

const io = processIo();
onStoreProblem(({ text }) => io.err(`ccg: ${text}`));
const program = new Command("ccg")
	.description("Keeps a Claude Code session's working memory alive across context compaction.")
	.version(manifest.version)
	.option("--no-color", "no colours (NO_COLOR does the same)")
	.showHelpAfterError("(ccg --help shows what there is)")
	.addHelpText("after", "\nExamples:\n  ccg demo\n  ccg install --dry-run\n  ccg status --json")
	.exitOverride();
registerInstall(program, io);
registerUninstall(program, io);
registerStatus(program, io);
registerMemory(program, io);
registerDoctor(program, io);
registerDemo(program, io);
registerShow(program, io);
registerReport(program, io);
registerSessions(program, io);
registerApprovals(program, io);
registerEnv(program, io);
registerProfile(program, io);
registerTask(program, io);
registerGc(program, io);

program.parseAsync().catch((error: unknown) => {
	if (error instanceof CommanderError) return io.exit(error.exitCode);
	io.err(`ccg: ${error instanceof Error ? error.message : String(error)}`);
	io.exit(1);
});

import { type RedactionRules, rulesFrom } from "../core/redact/lazy-rules.ts";
import { keepOut } from "../core/redact/secrets.ts";
import { type MeaningBundle, meaningFrom } from "../embeddings/lazy-meaning.ts";
import { enterFolder } from "../install/enter-folder.ts";
import { refuseStore } from "../store/session/chosen-store.ts";
import { recallWords } from "./acts/recall.ts";
import { processIo } from "./support/io.ts";
import { recallArguments } from "./support/recall-arguments.ts";
import { runAct } from "./support/run-act.ts";

// `ccg recall` by itself: an agent waits for it, and the command line's parser costs a third of it.
rulesFrom((bundle = "../core/redact/rules"): RedactionRules => require(bundle));
meaningFrom((bundle = "../embeddings/meaning"): MeaningBundle => require(bundle));
keepOut(process.env);
const problem = enterFolder(process.env);
const io = processIo();
void runAct(io, () => {
	if (problem) throw new Error(problem);
	refuseStore(io);
	return recallWords(recallArguments(process.argv.slice(3)), io, new Date());
});

import type { StatusSignal } from "../../core/task/startup.ts";

/** Of `ccg task`; a host tells the signals by them. */
export const EXIT: Record<"OK" | StatusSignal, number> = {
	OK: 0,
	"STATUS:MISSING_STATE": 3,
	"STATUS:HALT_CONTEXT_LIMIT": 4,
	"STATUS:COMPLETE": 5,
};

export const EXIT_HELP = `
Exit codes: 0 go on, 1 failed, 2 wrong use, 3 STATUS:MISSING_STATE (stop: the state can't be trusted),
4 STATUS:HALT_CONTEXT_LIMIT (autonomous work should end here, unless a person said otherwise), 5 STATUS:COMPLETE (nothing left to do;
'ccg task complete' itself ends 0: it did what was asked).`;

import { judge } from "./limits-judge.ts";
import { TRANSCRIPTS } from "./limits-transcripts.ts";

judge(TRANSCRIPTS);

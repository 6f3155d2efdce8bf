import { judge } from "./limits-judge.ts";
import { NOTES } from "./limits-notes.ts";

judge(NOTES);

import { INPUTS } from "./limits-inputs.ts";
import { judge } from "./limits-judge.ts";

judge(INPUTS);

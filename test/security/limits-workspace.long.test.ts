import { judge } from "./limits-judge.ts";
import { WORKSPACE } from "./limits-workspace.ts";

judge(WORKSPACE);

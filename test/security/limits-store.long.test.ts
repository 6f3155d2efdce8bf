import { judge } from "./limits-judge.ts";
import { STORE } from "./limits-store.ts";

judge(STORE);

import { startCcg } from "./program.ts";

startCcg();

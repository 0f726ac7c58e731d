import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/shell.css";
import { begin } from "./state/session";
import { Shell } from "./views/shell/Shell";

void begin();
const place = document.getElementById("page");
if (place) render(<Shell />, place);

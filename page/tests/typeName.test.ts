import { expect, test } from "vitest";
import { shortType } from "../src/model/typeName";

test("a type of a plug-in is shown as it is", () => {
    expect(shortType("OS::Nova::Server")).toBe("OS::Nova::Server");
});

test("of a template's address the file's name is shown", () => {
    expect(shortType("file:///srv/shop/web.yaml")).toBe("web.yaml");
    expect(shortType("nested/inner.yaml")).toBe("inner.yaml");
    expect(shortType("web.yaml")).toBe("web.yaml");
});

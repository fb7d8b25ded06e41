package dev.capsem.policy.diagnostic;

/// Every reason for which compilation fails. Names are published and never change; new ones may be added.
public enum Code {
    MANIFEST_SHAPE("the manifest misses a required field, or a field has the wrong type"),
    MANIFEST_DUPLICATE_KEY("an object of the manifest names the same member twice"),
    MANIFEST_TOO_LARGE("the manifest holds more capabilities or longer strings than the compiler accepts"),
    GRAMMAR_VERSION_MISMATCH("the manifest asks for a grammar version this compiler does not speak"),
    PARAM_SHAPE("a parameter declaration has an unknown type or a malformed name"),
    PARAM_UNDECLARED("a capability uses a parameter that the manifest does not declare"),
    PARAM_UNBOUND("a declared parameter has neither a value nor a default"),
    PARAM_UNKNOWN("a value was given for a parameter that the manifest does not declare"),
    PARAM_VALUE("a parameter value does not fit the declared type"),
    CAP_MALFORMED("a capability has fewer than two parts"),
    CAP_CHARACTER("a capability holds a control, formatting or line-separating character"),
    CAP_QUOTE("a double quote is not closed"),
    CAP_REFINEMENT("a refinement has no name"),
    CAP_UNKNOWN_KIND("the first part is not a capability kind"),
    CAP_ACTIONS_EMPTY("the actions part is empty"),
    CAP_ACTION_UNKNOWN("an action is not one this kind allows"),
    CAP_SCOPE_EMPTY("the path, host, binary, endpoint or assertion id is empty"),
    CAP_FS_SHAPE("an fs capability does not have three parts"),
    CAP_FS_RELATIVE("an fs path does not begin with '/'"),
    CAP_FS_TRAVERSAL("an fs path holds a '.', '..' or empty segment"),
    CAP_FS_GLOB("a glob stands where a sandbox cannot honour it and it would leak into a bind"),
    CAP_NET_SHAPE("a net capability does not have three or four parts"),
    CAP_NET_PORT("a port is not a whole number from 1 to 65535"),
    CAP_NET_HOST("a host is not '*', a name, '*.' and a name, or an IP address"),
    CAP_EXEC_SHAPE("an exec capability does not have three parts"),
    CAP_EXEC_PATH("an exec binary is a path, not a name"),
    CAP_EXEC_NAME("an exec binary is not a plain program name"),
    CAP_ENV_SHAPE("an env capability does not have three parts"),
    CAP_ENV_NAME("an environment name is not UPPER_SNAKE_CASE"),
    CAP_IPC_SHAPE("an ipc capability does not have three parts"),
    CAP_IPC_ENDPOINT("a unix endpoint is not a plain absolute path"),
    CAP_CLOCK_SHAPE("a clock capability does not have two parts"),
    CAP_CLOCK_SOURCE("a clock source is neither 'system' nor 'tzdata'"),
    CAP_ASSERT_SHAPE("an assert capability has no id"),
    ASSERT_UNRECOGNIZED("no configured validator recognises the assertion"),
    CANONICALIZATION_UNSUPPORTED("a value has no canonical JSON form"),
    ADAPTER_UNSUPPORTED("the target cannot lower a capability kind the policy holds"),
    ADAPTER_PATH("the target has no way to spell a path the policy holds"),
    EGRESS_UNKNOWN_TARGET("the egress target does not exist");

    private final String meaning;

    Code(String meaning) {
        this.meaning = meaning;
    }

    public String meaning() {
        return meaning;
    }
}

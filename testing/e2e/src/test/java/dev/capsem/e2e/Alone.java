package dev.capsem.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// On a test class that takes the whole machine: no other class runs meanwhile. See [MachineShare].
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@interface Alone {}

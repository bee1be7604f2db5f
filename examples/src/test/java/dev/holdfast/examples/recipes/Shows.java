package dev.holdfast.examples.recipes;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The cells of the table in {@code docs/RECIPES.md} that a test shows to be true, each as {@code
 * recipe | column | cell}; the recipe by the section that its row leads to.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Shows {
  String[] value();
}

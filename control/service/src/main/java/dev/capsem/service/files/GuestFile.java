package dev.capsem.service.files;

/// One file as a listing shows it.
///
/// @param path as the listing was asked for: relative to the workspace, or absolute
/// @param type `file`, `directory`, `symlink` or `other`
/// @param mtime unix seconds
/// @param mode permission bits; 0 where they are not known
public record GuestFile(String path, String type, long size, long mtime, int mode) {
    public String name() {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    public boolean isDirectory() {
        return type.equals("directory");
    }
}
